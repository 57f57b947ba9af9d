"""The interpreter's side of the protocol: reads frames on descriptor 3, runs
cells in one namespace that stays, and answers. Works with the standard library
alone. Whatever a cell does to this module, the host trusts none of its frames.
"""
import __future__
import ast
import builtins
import fcntl
import inspect
import io
import json
import linecache
import os
import signal
import socket
import sys
import threading
import time
import traceback
import types


FUTURES = 0
for _name in __future__.all_feature_names:
    FUTURES |= getattr(__future__, _name).compiler_flag


class HostError(Exception):
    """A function of the host failed; the message is the host's."""


class Connection:
    """Frames on the socket. Several threads may call; one of them reads."""

    def __init__(self, sock, limit):
        self.sock, self.limit = sock, limit
        self.buffer = bytearray()
        self.changed = threading.Condition(threading.Lock())
        self.sending = threading.Lock()
        self.reading = False
        self.cells = []      # start and execute frames that have come
        self.waiting = set() # ids of calls that somebody waits for
        self.answers = {}    # id of a call -> answer frame
        self.asked = {}      # id of a cell -> "interrupt" or "stop"
        self.calls = 0
        self.gone = False

    def send(self, message):
        data = json.dumps(message, separators=(",", ":")).encode()
        with self.sending:
            self.sock.sendall(len(data).to_bytes(4, "big") + data)

    def dispatch(self, frame):
        message = json.loads(frame)
        kind = message["type"]
        if kind == "answer":
            if message["id"] in self.waiting:
                self.answers[message["id"]] = message
        elif kind in ("interrupt", "stop"):
            self.asked[message["id"]] = kind
        else:
            self.cells.append(message)

    def split(self):
        """Dispatches the whole frames of the buffer."""
        while len(self.buffer) >= 4:
            size = int.from_bytes(self.buffer[:4], "big")
            if len(self.buffer) < 4 + size:
                return
            frame = bytes(self.buffer[4:4 + size])
            del self.buffer[:4 + size]
            self.dispatch(frame)

    def wait(self, ready):
        """Blocks until ready() gives something. Whoever waits reads for all."""
        with self.changed:
            while True:
                found = ready()
                if found is not None:
                    return found
                if self.gone:
                    raise EOFError("the host has gone")
                if self.reading:
                    self.changed.wait()
                    continue
                self.reading = True
                self.changed.release()
                data = b""
                try:
                    data = self.sock.recv(1 << 16)
                except OSError:
                    pass
                finally:
                    self.changed.acquire()
                    self.reading = False
                if data:
                    self.buffer += data
                    self.split()
                else:
                    self.gone = True
                self.changed.notify_all()

    def poll(self):
        """Takes what has come, without waiting; False when another thread is at it."""
        if not self.changed.acquire(blocking=False):
            return False
        try:
            if self.reading:
                return False
            while True:
                try:
                    data = self.sock.recv(1 << 16, socket.MSG_DONTWAIT)
                except OSError:
                    return True
                if not data:
                    self.gone = True
                    return True
                self.buffer += data
                self.split()
        finally:
            self.changed.notify_all()
            self.changed.release()


class Worker:
    def __init__(self, sock):
        self.conn = Connection(sock, 1 << 20)
        self.main = threading.main_thread()
        self.pid = os.getpid()
        self.running = 0       # id of the cell
        self.busy = False      # the main thread is in code of this module that must not be cut
        self.stopping = False
        self.traced = False    # see corner
        self.count = 0
        self.given = {}        # what was in the namespace before the first cell, inputs left out
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        self.namespace = module.__dict__
        self.namespace["__builtins__"] = builtins

    # Interruption. The signal says that something came, the frame says for which
    # cell: a signal that is late hurts nothing.

    def on_signal(self, signum, frame):
        if not self.running or self.busy or os.getpid() != self.pid:
            return
        if self.conn.poll() is False:
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            return
        self.check(frame)

    def check(self, frame=None):
        asked = self.conn.asked.get(self.running)
        if asked is None or not self.running:
            return
        if asked == "stop":
            # Until it works: an interruption that is caught is made again.
            signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
            if self.stopping:
                self.corner(frame)
        elif self.stopping:
            return
        self.stopping = True
        raise KeyboardInterrupt

    def corner(self, frame):
        """An interruption that was caught comes again at the line that catches it, where
        nothing catches it any more: since Python 3.12 a loop around a try that catches
        everything has no other place to interrupt it."""
        def trace(f, event, arg):
            if f.f_code.co_filename == __file__:
                return None
            if event == "line" and self.running and not self.busy:
                raise KeyboardInterrupt
            return trace
        self.traced = True
        sys.settrace(trace)
        while frame is not None:
            if frame.f_code.co_filename != __file__:
                frame.f_trace = trace
            frame = frame.f_back

    def calm(self):
        """Nothing is interrupted any more."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self.traced:
            self.traced = False
            sys.settrace(None)

    # Host functions.

    def call(self, name, args):
        if os.getpid() != self.pid:
            raise HostError(name + " cannot be called from a child process")
        main = threading.current_thread() is self.main
        cell = self.running
        if cell <= 0:  # below 0 the values of a cell are shown
            raise HostError(name + " cannot be called after its cell has ended")
        try:
            text = encode(args)
        except (TypeError, ValueError, RecursionError) as e:
            raise TypeError(f"{name}: an argument has no JSON: {e}") from None
        if len(text) + len(name) + 128 > self.conn.limit:
            raise HostError(f"the arguments of {name} are {len(text)} bytes of JSON, over the limit of {self.conn.limit}")
        if main:
            self.busy = True
        try:
            answer = self.exchange(name, text, main, cell)
        finally:
            if main:
                self.busy = False
        if answer is None:
            if main:
                self.check()
                raise KeyboardInterrupt
            raise HostError(name + " was not answered: the cell was interrupted")
        if answer.get("error") is not None:
            raise HostError(answer["error"])
        return answer.get("result")

    def exchange(self, name, text, main, cell):
        conn = self.conn
        with conn.sending:
            if self.running != cell:  # the result of the cell may be on its way already
                raise HostError(name + " cannot be called after its cell has ended")
            conn.calls += 1
            number = conn.calls
            conn.waiting.add(number)
            data = ('{"type":"call","id":%d,"name":%s,"args":%s}' % (number, json.dumps(name), text)).encode()
            conn.sock.sendall(len(data).to_bytes(4, "big") + data)

        def ready():
            if number in conn.answers:
                return (conn.answers.pop(number),)
            if cell in conn.asked:
                if not main:
                    signal.pthread_kill(self.main.ident, signal.SIGINT)
                return (None,)
            return None
        try:
            return conn.wait(ready)[0]
        finally:
            conn.waiting.discard(number)

    def function(self, name, params):
        signature = inspect.Signature([inspect.Parameter(p, inspect.Parameter.POSITIONAL_OR_KEYWORD) for p in params])

        def host(*args, **kwargs):
            try:
                bound = signature.bind_partial(*args, **kwargs)
            except TypeError as e:
                raise TypeError(f"{name}(): {e}") from None
            return self.call(name, dict(bound.arguments))
        host.__name__ = host.__qualname__ = name
        host.__signature__ = signature
        host.__module__ = "host"
        return host

    # The start.

    def start(self, message):
        self.conn.limit = message["frame"]
        options = message.get("options") or {}
        self.processes = options.get("processes") or 64
        # With a file system of its own this process has process numbers of its own, too,
        # and its parent is the first of them. Anywhere else sweep() would end others.
        self.alone = __file__ == "/job/worker.py" and os.getppid() == 1
        for name in options.get("warm") or []:
            try:
                __import__(name)
            except ImportError:
                pass
        ns = self.namespace
        ns["HostError"] = HostError
        ns.update(helpers())
        for f in message.get("functions") or []:
            ns[f["name"]] = self.function(f["name"], f.get("params") or [])
        self.given = dict(ns)
        ns.update(message.get("inputs") or {})

    # Cells.

    def execute(self, message):
        mend()
        self.count += 1
        name = f"<cell {self.count}>"
        code = message.get("code", "")
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        linecache.cache.pop(f"<cell {self.count - 100}>", None)
        result = {"type": "result", "id": message["id"]}
        self.stopping = False
        streams()
        exit_code = 1
        try:
            try:
                self.running = message["id"]
                self.run(code, name)
                exit_code = 0
            finally:
                self.running = 0
                mend()
        except BaseException as error:
            self.calm()
            exit_code = self.explain(error, message["id"])
        self.calm()
        if os.getpid() != self.pid:  # a child that the cell forked and let run on
            self.flush()
            os._exit(exit_code)
        if message.get("bindings"):
            result["bindings"] = self.bindings(message["bindings"])
        self.flush()
        if exit_code:
            result["exit"] = exit_code
        self.sweep(message["id"])
        self.conn.asked.clear()
        return result

    def sweep(self, cell):
        """Ends the processes that cells have started, where this one had to be ended or
        nearly as many are there as may be: the next cell has to work."""
        if not self.alone:
            return
        try:
            many = sum(n.isdigit() for n in os.listdir("/proc")) >= self.processes * 3 // 4
            if not many and cell not in self.conn.asked:
                return
            os.kill(-1, signal.SIGKILL)  # all of this sandbox but this one and its init
            # Those that nobody has waited for count, too. Who waits for one later is
            # told less of its end, so that this is for a storm alone.
            end = time.monotonic() + 0.3
            while many and time.monotonic() < end:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.001)
        except OSError:
            pass

    def run(self, code, name):
        tree = ast.parse(code, name)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = tree.body.pop()
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        # Both are compiled before either runs: what cannot be compiled does nothing.
        body = compile(tree, name, "exec", flags, True)
        if last is not None:
            last = compile(ast.Expression(last.value), name, "eval", flags | body.co_flags & FUTURES, True)
        self.evaluate(body)
        if last is None:
            return
        value = self.evaluate(last)
        if value is not None:
            print(repr(value))

    def evaluate(self, code):
        value = eval(code, self.namespace)
        if code.co_flags & inspect.CO_COROUTINE:
            import asyncio
            return asyncio.run(value)
        return value

    def flush(self):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass

    def explain(self, error, cell):
        """Writes why the cell failed; returns its exit code. The text of an exception
        is code of the program, so that it can be interrupted as the cell can."""
        try:
            try:
                self.stopping = False
                if cell in self.conn.asked:  # it has been, and has half a second for its last words
                    self.conn.asked[-2] = "stop"
                    cell = -2
                    signal.setitimer(signal.ITIMER_REAL, 0.5)
                self.running = cell
                return self.report(error)
            finally:
                self.running = 0
        except BaseException as e:
            self.calm()
            self.say(f"{type(error).__name__}: <its text failed: {type(e).__name__}>\n")
            return 1

    def report(self, error):
        if isinstance(error, SystemExit):
            if error.code is None:
                return 0
            if isinstance(error.code, int):
                return error.code & 255
            self.say(str(error.code) + "\n")
            return 1
        try:
            text = "".join(describe(own(traceback.TracebackException.from_exception(error))))
        except KeyboardInterrupt:
            raise
        except BaseException as e:
            text = f"{type(error).__name__}: <its text failed: {type(e).__name__}>\n"
        self.say(text)
        return 1

    def say(self, text):
        try:
            sys.stdout.flush()
            sys.stderr.write(text)
        except Exception:
            try:
                os.write(2, text.encode("utf-8", "backslashreplace"))
            except OSError:
                pass

    # Variables as text.

    def bindings(self, limits):
        """The variables. Their reprs are code of the program, so that they can be
        interrupted as it can. They have half a second: a value that is never done with
        its repr must not cost each later cell all of its time."""
        out, left = [], limits["total"]
        over = {"name": "__truncated__", "type": "", "value": f"(snapshot exceeded {limits['total']} chars; remaining vars dropped)"}
        names = [n for n, v in list(self.namespace.items())
                 if isinstance(n, str) and not n.startswith("__")
                 and not isinstance(v, types.ModuleType) and self.given.get(n, self) is not v]
        try:
            try:
                self.stopping = False
                self.conn.asked[-1] = "stop"
                self.running = -1
                signal.setitimer(signal.ITIMER_REAL, 0.5)
                for name in names:
                    value = self.namespace.get(name)
                    binding = {"name": name, "type": type(value).__name__, "value": show(value, limits["value"])}
                    size = sum(len(part.encode("utf-8", "backslashreplace")) for part in binding.values())
                    if size > left:
                        out.append(over)
                        break
                    left -= size
                    out.append(binding)
            finally:
                self.running = 0
        except BaseException:
            out.append(over)
        self.calm()
        return out

    def serve(self):
        conn = self.conn
        while True:
            try:
                message = conn.wait(lambda: conn.cells.pop(0) if conn.cells else None)
            except EOFError:
                return 0
            except KeyboardInterrupt:
                continue
            if message["type"] == "start":
                reply = {"type": "ready"}
                try:
                    self.start(message)
                except BaseException as e:
                    reply["error"] = f"{type(e).__name__}: {e}" or "start failed"
            else:
                reply = self.execute(message)
            if os.getpid() != self.pid:
                os._exit(0)
            conn.send(self.fit(reply))

    def fit(self, reply):
        """A result whose bindings are over the host's limit goes without them."""
        if reply.get("bindings") and len(json.dumps(reply["bindings"])) + 256 > self.conn.limit:
            del reply["bindings"]
        return reply


def own(exception, depth=0):
    """Keeps the frames of cells, here and in the causes."""
    exception.stack[:] = [f for f in exception.stack if f.filename.startswith("<cell ")]
    for other in (exception.__cause__, exception.__context__):
        if other is not None and depth < 20:
            own(other, depth + 1)
    for other in getattr(exception, "exceptions", None) or []:
        own(other, depth + 1)
    return exception


def describe(exception):
    """Lines of text; what failed before any line of a cell ran has no stack to show."""
    if exception.stack or exception.__cause__ or exception.__context__:
        return exception.format()
    return exception.format_exception_only()


def show(value, limit):
    """repr, at most limit bytes; large containers are not written out whole."""
    try:
        text = large(value, limit)
        if text is not None:
            return text
        text = repr(value)
        if not isinstance(text, str):
            raise TypeError("__repr__ returned " + type(text).__name__)
    except KeyboardInterrupt:
        raise
    except BaseException as e:
        try:
            return f"<error: {type(e).__name__}: {e}>"[:limit]
        except Exception:
            return f"<error: {type(e).__name__}>"
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= limit:
        return data.decode()
    return f"{data[:limit].decode('utf-8', 'ignore')}... (len={len(data)})"


def large(value, limit):
    """The repr of something too large to be written out, shortened already."""
    kind = type(value)
    if kind is str and len(value) > 1 << 16:
        return f"{repr(value[:limit])[:limit]}... (len={len(value) + 2})"
    if kind in (list, tuple, set, frozenset, dict) and len(value) > 1 << 12:
        parts, size = [], 0
        for item in value:
            part = repr(item) + (": " + repr(value[item]) if kind is dict else "")
            parts.append(part)
            size += len(part) + 2
            if size > limit:
                break
        start = {list: "[", tuple: "(", set: "{", frozenset: "frozenset({", dict: "{"}[kind]
        head = (start + ", ".join(parts)).encode("utf-8", "backslashreplace")[:limit].decode("utf-8", "ignore")
        return f"{head}... ({len(value)} items)"
    return None


def encode(value):
    """JSON, in which what is not finite is null."""
    try:
        return json.dumps(value, default=plain, allow_nan=False)
    except ValueError:
        return json.dumps(finite(json.loads(json.dumps(value, default=plain))), allow_nan=False)


def finite(value):
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if isinstance(value, list):
        return [finite(v) for v in value]
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    return value


def plain(value):
    """What numpy and the like become in JSON."""
    for method in ("tolist", "isoformat", "_asdict"):
        if callable(getattr(value, method, None)):
            return getattr(value, method)()
    if isinstance(value, (set, frozenset, range, types.GeneratorType, map, filter, zip)):
        return list(value)
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    fields = getattr(value, "__dataclass_fields__", None)
    if fields:
        return {name: getattr(value, name) for name in fields}
    raise TypeError(f"{type(value).__name__} is not JSON")


def helpers():
    """What a cell has beside the builtins."""
    def mean(values):
        """The arithmetic mean; NaN of nothing."""
        values = list(values)
        return sum(values) / len(values) if values else float("nan")

    def join(values, separator=""):
        """The values as text, with separator between them."""
        return separator.join(map(str, values))

    def countBy(values, key=None):
        """A dict of how often each value, or key of it, occurs."""
        out = {}
        for value in values:
            k = value if key is None else key(value) if callable(key) else value[key]
            out[k] = out.get(k, 0) + 1
        return out

    def groupBy(values, key):
        """A dict of the values that have the same key; key is a function or an item's name."""
        out = {}
        for value in values:
            out.setdefault(key(value) if callable(key) else value[key], []).append(value)
        return out

    def println(*values):
        """The same as print."""
        print(*values)

    def printf(format, *values):
        """Prints format % values, without a new line."""
        print(format % values if values else format, end="")

    made = (mean, join, countBy, groupBy, println, printf)
    for f in made:
        f.__module__ = "helpers"
        f.__qualname__ = f.__name__
    out = {f.__name__: f for f in made}
    out["count_by"], out["group_by"] = countBy, groupBy
    return out


def forked(sock):
    """A child process must not talk in the name of this one."""
    try:
        sock.close()
    except OSError:
        pass


OWN = {}
KEPT = {}
BUILTINS = dict(builtins.__dict__)


def mend():
    """Builtins that a cell has removed come back: this module uses them, too."""
    for key, value in BUILTINS.items():
        if key not in builtins.__dict__:
            builtins.__dict__[key] = value


def streams():
    """Standard output and error as they were, whatever earlier cells put in their place."""
    for name, fd in (("stdout", 1), ("stderr", 2)):
        try:
            if fd not in KEPT:
                KEPT[fd] = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 60)
            os.dup2(KEPT[fd], fd)
        except OSError:
            pass
        if name not in OWN or OWN[name].closed:
            OWN[name] = io.TextIOWrapper(open(fd, "wb", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True)
        setattr(sys, name, OWN[name])
        setattr(sys, "__" + name + "__", OWN[name])


def main():
    number = int(os.environ.pop("HELIOS_SOCKET_FD", "3"))
    # Away from 3, so that nothing meets it by chance, and not inherited.
    high = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 60)
    os.close(number)
    sock = socket.socket(fileno=high)
    os.register_at_fork(after_in_child=lambda: forked(sock))
    streams()
    sys.argv = [""]
    worker = Worker(sock)
    signal.signal(signal.SIGINT, worker.on_signal)
    signal.signal(signal.SIGALRM, worker.on_signal)
    os._exit(worker.serve())


if __name__ == "__main__":
    main()
