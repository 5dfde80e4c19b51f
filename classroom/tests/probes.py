"""Small programs that reach for what is not a student's, in one process, one after the other.

Each of `REFUSED` must raise an exception, and each of `TRUE` must hold. None does harm where a
lock should fail: they reach for things, and let go of them.
"""

#: What all of them find ready.
BEFORE = """
import builtins, ctypes, fcntl, gc, mmap, os, resource, select, signal, socket, struct
import subprocess, sys, tempfile, threading, time
libc = ctypes.CDLL(None, use_errno=True)

def call(name, *words):
    number = numbers[name]
    if libc.syscall(ctypes.c_long(number), *words) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def function(name, *words):
    if getattr(libc, name)(*words) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def lines():
    return [number for number in range(3, 64) if is_open(number)]

def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
"""

#: Of the calls that are allowed for some arguments, those with others, by their numbers on x86-64
#: and 64-bit ARM; all other calls are tried by their numbers.
KERNEL = {
    "prlimit of the first": (302, 261, "1, 7, struct.pack('QQ', 1, 1), 0"),
    "dumpable again": (157, 167, "4, 1, 0, 0, 0"),
    "death with a parent": (157, 167, "1, 9, 0, 0, 0"),
    "a subreaper": (157, 167, "36, 1, 0, 0, 0"),
    "a larger pipe": (72, 25, "0, 1031, 1048576"),
    "a lease": (72, 25, "0, 1024, 0"),
    "typed into a terminal": (16, 29, "0, 0x5412, b'x'"),
    "owner of signals": (72, 25, "0, 8, 1"),
}

#: By kind, then by name.
REFUSED = {
    "processes": {
        "fork": "os.fork()",
        "system": "assert os.system('true') == 0",
        "a program": "subprocess.run(['true'])",
        "a thread": "threading.Thread(target=time.sleep, args=(3,)).start()",
        "an executor": "from concurrent.futures import ThreadPoolExecutor as T\n"
        "T().submit(print).result(2)",
        "kill the first": "os.kill(1, 9)\nos.kill(1, 0)\nraise OSError",
        "more limits": "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "more files": "resource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999))",
        "more time": "resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))",
        "core files": "resource.setrlimit(resource.RLIMIT_CORE, (9, 9))",
    },
    "files": {
        **{
            f"writes to {place}": f"open('{place}/by-a-student', 'w')"
            for place in ("/", "/dev", "/usr", "/usr/lib", "/fonts", "/etc", "/bin", "/lib")
        },
        "into the interpreter": "open(os.path.join(sys.prefix, 'x'), 'w')",
        "into the standard library": "open(os.__file__, 'a')",
        "into numpy": "import numpy; open(numpy.__file__, 'a')",
        "into the worker": "open(sys.modules['perceptron_classroom.inside.spawn'].__file__, 'a')",
        "shared memory": "open('/dev/shm/x', 'w')",
        "a file of 20 MB": "open('/box/large', 'wb').write(bytes(20_000_000))",
        "utime of null": "os.utime('/dev/null')",
        "chmod of null": "os.chmod('/dev/null', 0o600)",
        "a link out of the box": "os.link('/etc/ld.so.cache', '/box/link'); open('/box/link', 'a')",
        "tmp": "open('/tmp/x', 'w')",
        "home": "open('/root/x', 'w')",
        "a socket in the box": "s = socket.socket(socket.AF_UNIX); s.bind('/box/socket')",
        "a lock": "fcntl.flock(open('/box/lock', 'w'), fcntl.LOCK_EX)",
        "an attribute": "os.setxattr('/box', 'user.x', b'for you')",
        "xattr of null": "os.setxattr('/dev/null', 'user.x', b'for you')",
        "copies by the kernel": "os.copy_file_range(0, 1, 10)",
        "sendfile": "os.sendfile(1, 0, 0, 10)",
    },
    "network": {
        "a name": "socket.getaddrinfo('example.org', 80)\nraise OSError",
        "tcp": "socket.socket()",
        "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "unix": "socket.socket(socket.AF_UNIX)",
        "http": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:1/')",
        "asyncio": "import asyncio; asyncio.run(asyncio.sleep(0))",
        "the line as a socket": "socket.socket(fileno=os.dup(lines()[0])).sendall(b'x')",
        "descriptors over the line": "s = socket.socket(fileno=os.dup(3))\n"
        "socket.send_fds(s, [b'x'], [0])",
        "what comes along": "socket.socket(fileno=os.dup(3)).recv(1, socket.MSG_DONTWAIT)",
        "who is there": "socket.socket(fileno=os.dup(3)).getsockopt(1, 17, 12)",
    },
    "memory": {
        "2 GB": "bytearray(2_000_000_000)",
        "2 GB shared": "mmap.mmap(-1, 2_000_000_000)",
        "memfd": "os.memfd_create('x')",
        "pipes": "os.pipe()",
        "eventfd": "os.eventfd(1)",
        "100 000 files": "for n in range(100_000): os.close(os.open(f'/box/{n}', 65))",
        "100 000 folders": "for n in range(100_000): os.mkdir(f'/box/deep{n}')",
        "1000 open files": "kept = [open('/dev/null') for _ in range(1000)]",
        "100 MB of files": "for n in range(10): open(f'/box/f{n}', 'wb').write(bytes(15_000_000))",
        "a long list": "[0] * 10**9",
        "System V": "function('shmget', 0, 10**6, 0o1600)",
        "huge pages": "mmap.mmap(-1, 2**21, flags=0x40022)",
    },
    "points": {
        "the solutions": "import perceptron_classroom.checks.slips.tours",
        "by topic": "import perceptron_classroom.checks.learning",
        "the package": "from perceptron_notes import pla",
        "a module of it": "import perceptron_notes.learning",
        "anew": "sys.modules.clear(); from perceptron_notes import pla",
        "the masters": "import perceptron_classroom.problem_sets",
        "the grader": "import perceptron_classroom.grading.submission",
        "the session": "import perceptron_classroom.grading.session",
        "the sandbox": "import perceptron_classroom.grading.sandbox",
    },
}

#: What must hold.
TRUE = {
    "files": {
        **{
            f"no {path}": f"not os.path.exists('{path}')"
            for path in (
                *("/proc", "/proc/1", "/proc/self/environ", "/sys", "/etc/passwd", "/etc/shadow"),
                *("/etc/hostname", "/root/.ssh", "/var", "/run", "/mnt", "/boot", "/srv", "/tmp/x"),
                *("/dev/mem", "/dev/sda", "/dev/kmsg", "/dev/fuse", "/dev/kvm"),
            )
        },
        "a box of one's own": "os.listdir('/box') == ['matplotlib'] and os.getcwd() == '/box'",
        "no device but these": "set(os.listdir('/dev')) == "
        "{'null', 'zero', 'full', 'random', 'urandom'}",
        "with the usual rights": "os.stat('/box').st_mode == 0o40700",
        "nothing of the classroom but what runs inside": "os.listdir(os.path.dirname("
        "os.path.dirname(worker.__file__))) == ['inside']",
    },
    "processes": {
        "the second process": "os.getpid() == 2 and os.getppid() == 1",
        "nobody": "os.getuid() == os.geteuid() == 65534 == os.getgid() == os.getegid()",
        "no groups": "set(os.getgroups()) <= {65534}",
        "one open line": "len(lines()) <= 2",
        "nothing secret in the environment": "not [n for n in os.environ if 'SECRET' in n.upper()]",
        "no settings in the arguments": "'checks' not in ''.join(sys.argv)",
        "no check in memory": "not [m for m in sys.modules if 'perceptron_classroom.checks.' in m]",
        "nobody's code in memory": "not [f for f in gc.get_objects() if getattr(f, '__module__', "
        "None) == 'perceptron_classroom.checks.learning']",
    },
}
