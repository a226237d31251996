# Unit tests.  They link the library without libibverbs: a pure file that
# called it would not link.
