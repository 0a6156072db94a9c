"""What Python scripts that take the place of a shell share: like programs they end by signals, and say in one line what
is wrong."""
import os, signal, sys, zlib

if signal.getsignal(signal.SIGINT) is signal.default_int_handler: signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
for stream in (sys.stdout, sys.stderr): stream.reconfigure(line_buffering=True, errors="surrogateescape")
os.environ["LC_ALL"] = "C"
# A command behind it gets SIGTERM when this process ends, however it does.
BOUND = ["setpriv", "--pdeathsig", "TERM"] if any(os.access(d + "/setpriv", os.X_OK)
                                                  for d in os.environ["PATH"].split(":")) else []
TOOL = [sys.executable, "-S", os.path.dirname(__file__) + "/tool.py"]  # and SCRIPT ARGUMENT...
# A script that was started itself goes on in tool.py, and leaves nothing beside the sources.
started = os.path.realpath(getattr(sys.modules["__main__"], "__file__", ""))
if started != os.path.realpath(TOOL[2]) and os.path.dirname(started) == os.path.dirname(os.path.realpath(__file__)):
    import shutil
    shutil.rmtree(os.path.dirname(started) + "/__pycache__", ignore_errors=True)
    os.execv(TOOL[0], [*TOOL, os.path.basename(started)[:-3], *sys.argv[1:]])


def warn(text): print(text, file=sys.stderr)


def stop(text, code=1):
    warn(text)
    sys.exit(code)


def number(name, text):
    """The value of a variable, of digits."""
    return int(text) if str(text).isdigit() else stop(f"{name}={text}: expected a number", 2)


def progress(text):
    if sys.stderr.isatty(): print("\r\033[K" + (text and "  " + text), end="", file=sys.stderr, flush=True)


def table(*rows, left=1, columns=0, say=print):
    """Prints rows: the first columns aligned at their left, the others at their right, as many as the first row has
    unless given, each as wide as its longest cell; cells behind them are remarks. Returns what prints another row."""
    width = [max(len(str(row[i])) for row in rows) for i in range(columns or len(rows[0]))]

    def more(*cells):
        shown = [f"{c:<{w}}" if i < left else f"{c:>{w}}" for i, (c, w) in enumerate(zip(map(str, cells), width))]
        say("  ".join([*shown, *map(str, cells[len(width):])]).rstrip())

    for row in rows: more(*row)
    return more


def read(path):
    """The text of a file, whatever its bytes are; of none nothing."""
    try:
        with open(path, errors="surrogateescape", newline="\n") as f: return f.read()
    except FileNotFoundError: return ""


def write(path, text):
    with open(path, "w", errors="surrogateescape") as f: f.write(text)


def run(log, *command, **environment):
    """The exit code of a command, or 128 and its signal; both its outputs go into the file; no input. A variable that
    is None is unset."""
    import subprocess
    with open(log, "w") as out:
        environment = {k: v for k, v in {**os.environ, **environment}.items() if v is not None}
        try: child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        except OSError as e:
            print(f"{command[0]}: {e.strerror}", file=out, flush=True)
            return 126 + isinstance(e, FileNotFoundError)
        try: code = child.wait()
        except BaseException:
            child.terminate()
            child.wait()
            raise
        if code < 0: print(signal.strsignal(-code), file=out)
    return code if code >= 0 else 128 - code


def code_of(*command, **how):
    """The exit code of a command, or 128 and its signal. It shares what this process holds: a lock, make's jobs."""
    import subprocess
    code = subprocess.call(command, close_fds=False, **how)
    return code if code >= 0 else 128 - code


def need(*command, **how):
    """Runs a command that must be good, and says itself what is wrong."""
    code = code_of(*command, **how)
    if code: sys.exit(code)


def says(*command):
    """What a command prints; its errors go nowhere."""
    import subprocess
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, errors="surrogateescape",
                          check=False).stdout


def lock(path):
    """Waits until no other process holds this file. It is held as long as this process, or one started by it, runs."""
    import fcntl
    held = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
    fcntl.flock(held, fcntl.LOCK_EX)
    os.set_inheritable(held, True)


def find(*roots, name=lambda name: True):
    """Files below folders with such a name, also links to files, in the order of their paths."""
    return sorted(f"{at}/{file}" for root in roots for at, _, files in os.walk(root.rstrip("/") or "/")
                  for file in files if name(file))


def checksum(*texts):
    return str(zlib.crc32("\0".join(texts).encode(errors="surrogateescape")))
