"""What of a cluster is slow, and why it may be.

  causes       the smallest set of causes that explains which pairs are slow
  observed     what is compared of the rounds
  words        what is said of a cause
  inquiry      suspects are tested again, before anything is said
  evidence     what hosts and counters say about it
"""
