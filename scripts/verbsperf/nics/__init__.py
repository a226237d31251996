"""verbsperf-compare --nics: several set-ups, side by side.

  setups       what is compared, and what differs
  ranking      who is ahead
  report       the report
  view         the report as text, Markdown and HTML
  plots        its pictures
"""
