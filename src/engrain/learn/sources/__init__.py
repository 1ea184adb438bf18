"""Sources: what people and agents said and wrote, read as turns (S4.4; DESIGN section 11).

A format's reader makes of a file's bytes a stream of conversations and their turns, in bounded
memory; the content of a file decides its format. What was read before is known by cursors
on this device, so that a run sees only what is new.
"""
