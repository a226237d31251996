"""A cluster is measured, and shown.

  running      the rounds of each point, then what is suspect
  nodes        which nodes take part, and what is known of them
  progress     how far it is, on a terminal
  file         the file, line by line
  view         what came of it, as text
  page         as a page of HTML
  heatmap      as a picture
  comparison   what changed between two files
"""
