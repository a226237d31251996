"""Numbers from numbers.

  ranks        medians and their intervals, from the order of values
  noise        how far medians of a few rounds are from the true ones
  verdict      what that decides
"""
