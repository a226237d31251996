"""Results as pictures.

  curves       the parts of a picture
  labels       names of curves
  series       curves for each kind of picture
  spans        from where to where the axes go
  axes, looks, figure
               draw with matplotlib, as history/plots, nics/plots and
               cluster/heatmap do; nothing else imports it
  drawing      whether this Python has it
"""
