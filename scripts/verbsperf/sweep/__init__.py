"""A sweep: every point of a suite at every target, in rounds.

  rounds       in which order, and how often
  measure      one measurement
  file         the file while it is written
  running      puts them together
  contents     shows a file
  limits       says which limits were met
"""
