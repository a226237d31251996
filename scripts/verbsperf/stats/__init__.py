"""Numbers from numbers.

  ranks        medians and their intervals, and trimmed means
  noise        how far the means of a few rounds are from the true ones
  verdict      what that decides
"""
