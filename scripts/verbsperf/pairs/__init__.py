"""Which nodes of a cluster measure with which.

  nodesets     sets of nodes: n[01-16,20]
  patterns     rounds of pairs
"""
