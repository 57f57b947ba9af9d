"""A matplotlib backend that saves figures when they are shown."""

import helioai_figures
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg


class FigureManager(FigureManagerBase):
    """Makes figure.show() save that figure."""

    def show(self):
        helioai_figures.save(self.canvas.figure)


class FigureCanvas(FigureCanvasAgg):
    """Draws as Agg does."""

    manager_class = FigureManager


def show(*args, **kwargs):
    """Save every open figure and close it."""
    helioai_figures.save_open()
