"""Results of many nights.

  bases        a base of several sessions
  file         keeps them
  steps        since when they are slower
  nights       what is shown of them
  plots        draws it
"""
