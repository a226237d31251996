"""The commands, each with its options and its exit status.

They read what was asked, and call the other folders to do it.  No command
imports another.
"""
