"""Run one script of a session and report what it made.

The script runs in a fresh namespace that holds np, plt, scipy and the helpers
of the prelude. What it made goes out as frames on the descriptor numbered
HELIOS_RESULT_FD: four bytes of length, big-endian, then JSON with a "type":

    fontlist  name, data      matplotlib's font list, when none came along
    started   python, numpy   from here on the script's own code runs
    load      name            a dataset that load_data was asked for
    export    value           the document of one exported value
    figure    png, pdf        the files of one figure
    error     exception, message, line, traceback
    finished  versions        of the libraries that were used

The script could write such frames itself, so the reader trusts none of them;
only what comes before "started" is certain to be this program's.
"""

import base64
import functools
import gc
import importlib
import json
import linecache
import os
import re
import struct
import sys
import threading
import traceback
import types
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


class Frames:
    """Writes frames to the result descriptor; safe for several threads."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.lock = threading.Lock()

    def send(self, type_, **fields):
        body = json.dumps({"type": type_, **fields}, allow_nan=False).encode()
        frame = memoryview(struct.pack(">I", len(body)) + body)
        with self.lock:
            while frame:
                frame = frame[os.write(self.descriptor, frame) :]


class Lazy(types.ModuleType):
    """Stands for a module that is imported when it is first used.

    scipy and matplotlib take longer to import than most scripts take to run.
    """

    def __getattr__(self, name):
        return getattr(importlib.import_module(self.__name__), name)

    def __setattr__(self, name, value):
        setattr(importlib.import_module(self.__name__), name, value)

    def __dir__(self):
        return dir(importlib.import_module(self.__name__))


class Figures:
    """Saves what matplotlib draws, and sets it up before it is imported."""

    def __init__(self, index, frames):
        self.index = index
        self.frames = frames
        self.count = 0
        self.config = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"matplotlib-{os.getpid()}")

    def prepare(self, style, code):
        """Write matplotlib's configuration; build its font list if need be."""
        os.makedirs(self.config, exist_ok=True)
        with open(os.path.join(self.config, "matplotlibrc"), "w", encoding="utf-8") as file:
            file.writelines(f"{key}: {value}\n" for key, value in style.items())
        fonts = [name for name in os.listdir(HERE) if name.startswith("fontlist-")]
        for name in fonts:
            with open(os.path.join(HERE, name), "rb") as source, open(os.path.join(self.config, name), "wb") as file:
                file.write(source.read())
        os.environ["MPLCONFIGDIR"] = self.config
        # The backend is a module of this program, so that plt.show() saves.
        os.environ["MPLBACKEND"] = "module://helioai_backend"
        sys.path.append(HERE)
        if not fonts and re.search(r"\b(plt|pyplot|matplotlib|plot_series)\b", code):
            self.report_fonts()

    def report_fonts(self):
        """Build the font list now and hand it over, to be kept."""
        try:
            importlib.import_module("matplotlib.font_manager")
        except ImportError:
            return  # the script itself will say what is missing
        for name in os.listdir(self.config):
            if name.startswith("fontlist-") and name.endswith(".json"):
                with open(os.path.join(self.config, name), "rb") as file:
                    data = base64.b64encode(zlib.compress(file.read())).decode()
                self.frames.send("fontlist", name=name, data=data)

    def save(self, figure):
        """Save one figure as PNG for the screen and as PDF for the paper."""
        self.count += 1
        stem = f"fig_{self.index}_{self.count}"
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # it is laid out now, and once takes long enough
        child = self.start_pdf(figure, stem)
        figure.savefig(stem + ".png", dpi=100)
        if child is None or os.waitpid(child, 0)[1] != 0:
            self.save_pdf(figure, stem)
        self.frames.send("figure", png=stem + ".png", pdf=stem + ".pdf")

    def start_pdf(self, figure, stem):
        """Begin to save the PDF in a child, while the PNG is drawn here."""
        if threading.active_count() > 1:
            return None  # a fork could inherit a lock that nobody releases
        try:
            child = os.fork()
        except OSError:
            return None
        if child == 0:
            status = 1
            try:
                self.save_pdf(figure, stem)
                status = 0
            finally:
                os._exit(status)
        return child

    @staticmethod
    def save_pdf(figure, stem):
        figure.savefig(stem + ".pdf", dpi=300, metadata={"CreationDate": None})

    def save_open(self):
        """Save and close every figure that is still open."""
        if "matplotlib.pyplot" not in sys.modules:
            return
        plt = sys.modules["matplotlib.pyplot"]
        for number in plt.get_fignums():
            figure = plt.figure(number)
            self.save(figure)
            plt.close(figure)


def load_prelude(names):
    """Execute the prelude's files in one namespace, as a notebook does."""
    module = types.ModuleType("helioai_prelude")
    sys.modules[module.__name__] = module
    for name in names:
        path = os.path.join(HERE, name)
        with open(path, encoding="utf-8") as file:
            exec(compile(file.read(), path, "exec"), module.__dict__)
    return module


def make_namespace(prelude, frames):
    """Build the names that a script finds."""

    @functools.wraps(prelude.load_data)
    def load_data(name):
        data = prelude.load_data(name)
        frames.send("load", name=data.name)
        return data

    def export(name, value, units=""):
        """Record a value under a name, with its unit.

        value is a number, an array, a datetime64, a text, or a dict of those.
        Only recorded values count as computed when the answer is checked.
        """
        for document in prelude._describe(name, value, units):
            frames.send("export", value=document)

    names = ["Dataset", "clean", "interp_to", "magnitude", "plot_series", "save_path"]
    return {
        "__name__": "__main__",
        "__builtins__": __builtins__,
        "np": prelude.np,
        "plt": Lazy("matplotlib.pyplot"),
        "scipy": Lazy("scipy"),
        "load_data": load_data,
        "export": export,
        **{name: getattr(prelude, name) for name in names},
    }


def report_error(frames, error, filename, source):
    """Send what went wrong, with only the script's own lines of the traceback."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    summary = traceback.TracebackException.from_exception(error)
    own = [frame for frame in summary.stack if frame.filename == filename]
    line = own[-1].lineno if own else None
    if isinstance(error, SyntaxError):
        line = error.lineno
    summary.stack = traceback.StackSummary.from_list(own)
    text = "".join(summary.format(chain=False))
    sys.stderr.write(text)
    frames.send(
        "error",
        exception=type(error).__name__,
        message=str(error)[:4000],
        line=line,
        traceback=text[-8000:],
    )


def used_versions():
    """The versions of the libraries that were imported."""
    versions = {"python": sys.version.split()[0]}
    for name in ("numpy", "scipy", "matplotlib"):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version:
            versions[name] = str(version)
    return versions


def main():
    with open(os.path.join(HERE, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    with open(os.path.join(HERE, "user.py"), encoding="utf-8") as file:
        source = file.read()
    frames = Frames(int(os.environ["HELIOS_RESULT_FD"]))
    figures = Figures(job["index"], frames)
    sys.modules["helioai_figures"] = types.SimpleNamespace(save=figures.save, save_open=figures.save_open)
    prelude = load_prelude(job["prelude"])
    figures.prepare(prelude._STYLE, source)
    namespace = make_namespace(prelude, frames)
    frames.send("started", **used_versions())
    try:
        exec(compile(source, job["name"], "exec"), namespace)
        figures.save_open()
    except SystemExit as stop:
        if stop.code not in (None, 0):
            report_error(frames, stop, job["name"], source)
            return 1
        figures.save_open()
    except BaseException as error:
        report_error(frames, error, job["name"], source)
        return 1
    finally:
        namespace.clear()  # closes the files that the script left open
        gc.collect()
    frames.send("finished", versions=used_versions())
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # do not wait for threads that the script left behind
