"""Imported last by the process that others are forked from.  What it has
imported is never garbage, and to search it for some took a third of the time of
those that are forked."""
import gc

gc.collect()
gc.freeze()
