"""Numbers from numbers.

  ranks        tests and intervals that follow from the order of values
  verdict      what they decide
"""
