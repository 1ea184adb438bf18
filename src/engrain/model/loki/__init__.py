"""The layout of `.loki/memory`: loki's own folders and JSON files, there and back.

`layout` knows the files, `notes` the documents that are notes here, `own` what an entry has beside
its document. All of it is pure: bytes and values in, bytes and values out.
"""
