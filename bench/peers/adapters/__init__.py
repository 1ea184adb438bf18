"""One module a peer: what it is installed from, how it is set, and a class `Peer` that drives it.

A module is read twice: by the runner for its constants, and in the peer's own environment, where
`Peer` is made. So nothing of the peer is imported before a `Peer` is made, and the module imports
only the standard library and the modules beside this folder.
"""
