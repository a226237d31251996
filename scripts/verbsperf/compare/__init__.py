"""Two sides are compared, point by point.

  question     what is asked, as options
  sides        finds what belongs together
  alike        refuses what does not
  comparison   the report
  view         the report as people and programs read it
"""
