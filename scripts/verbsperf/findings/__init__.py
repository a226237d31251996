"""What of a cluster is slow, and why it may be.

  usual        what pairs usually reach, and which are suspect
  trial        a pair is tested alone, in both directions
  inquiry      suspects are tested again, before anything is said
  loaded       the same, where pairs share their nodes
  beside       what hosts and counters say about it
"""
