"""Results of many nights.

  file         keeps them
  steps        since when they are slower
  nights       what is shown of them
  plots        draws it
"""
