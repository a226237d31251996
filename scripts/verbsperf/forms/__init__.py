"""Verdicts in the forms of others.

  cases        verdicts as programs read them
  reports      JUnit's XML, OpenMetrics, and for GitHub
"""
