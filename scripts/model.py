"""Builds one model of a Verilog module, step by step; all steps want the same arguments.

    [BLOCKS='SLOT=NAME...'] [BLOCK_FILES='file...'] [OPTIMIZE=-O1] \\
        python3 -S scripts/tool.py model STEP FOLDER NAME MODULE FILE [PARAMETER=VALUE...]
    ... model flags

STEP: bind  FOLDER/NAME.h, the glue, NAME.d (the Verilog files the model is made of, for make), the C++ of the fast
            model; FOLDER/bound
      fast  FOLDER/libNAME.a, the model for runs that nobody looks into: no waves, no probes, but what scripts/lint.vlt
            makes public
      full  FOLDER/full/libNAME.a, with waves and with all probes. It starts with the same values as the fast one and
            does the same (initial_values.py)
      flags prints what the C++ is compiled with
      lanes FOLDER/lanes/libNAME.a, the fast one several times in the lanes of vectors, $LANES_FLAGS (lanes.sh,
      lanes.py)
      training  FOLDER/training/libNAME.a, the fast one that counts how often each branch is taken (clang)
      guided    FOLDER/guided/libNAME.a, the fast one, compiled with these counts from the file $PROFILE

NAME is the prefix of everything in C, so that two configurations of one module fit into one program. FILE holds the
module; what it instantiates is found by name in its own folder and in the folders of $VERILOG_DIRS. Called by the
Makefile, which passes VERILATOR, VERILATOR_SHARE, VERILATOR_IS, MODEL_CXX, AR, MAKE, VERILATOR_FLAGS, VERILATED_FLAGS
and PASSES in the environment. PASSES change the C++ that Verilator prints (passes.py); what does not compile then is
compiled as it is printed. With COVERED in the environment models count (counters.py).

Warnings are shown by `bind` and stop nothing: another Verilator knows other ones, and `make lint` checks what lies
below rtl/. FILE elsewhere, or with other blocks in slots, may be somebody else's: delays are ignored, and if Verilator
cannot read it as Verilog-2005, it is SystemVerilog. A file of the same name with .vlt may waive warnings (Verilator's
lint_off). With inout ports the model is a module around it (bindings.py)."""
import gc, glob, os, re, resource, shutil, subprocess, sys

from common import code_of, lock, need, read, warn, write

E = os.environ.get
VERILATOR, COMPILER, BLOCK_FILES = E("VERILATOR") or "verilator", E("MODEL_CXX", ""), E("BLOCK_FILES", "").split()
# In C++ a loop that does nothing else ends, or the compiler may leave it out; in Verilog it is a block that hangs.
AS_IT_IS = "-fno-finite-loops"
# Verilator's own flags are for the g++ that it was built with: clang 19 does not know -Wno-subobject-linkage of 5.048.
CPP_FLAGS = "-std=gnu++17 -Wno-unknown-warning-option -DVL_DBG_MSGF=sim_triggered " + AS_IT_IS
FOREIGN = "-Wno-DECLFILENAME -Wno-ASSIGNDLY -Wno-TIMESCALEMOD -Wno-SYMRSVDWORD -Wno-ENUMVALUE --no-timing".split()
SYSTEM_VERILOG = ["--default-language", "1800-2017"]
QUIET = ["-Wno-lint", "-Wno-style"]  # warnings that have been shown before
COUNTED = ["--coverage-line", "--coverage-toggle"]
RESET = "___ctor_var_reset("
OF_DEBUG = re.compile(rb"#ifdef VL_DEBUG(?<![^\n]#ifdef VL_DEBUG)\n(?=(.*))")


def remove(*paths):
    for path in filter(os.path.exists, paths): (shutil.rmtree if os.path.isdir(path) else os.remove)(path)


def classes(folder):
    """Those with start values. $unit is there as soon as something is bound, and holds nothing."""
    heads = (line for file in glob.glob(folder + "/cpp/*.cpp") for text in [read(file)] if RESET in text
             for line in text.split("\n") if RESET in line and line.endswith("{") and "___024unit___ctor" not in line)
    return sorted(head.partition(RESET)[0].rpartition(" ")[2] for head in heads)


class Model:
    def __init__(self, step, folder, name, module, file, *parameters):
        self.step, self.folder, self.name, self.module, self.file, self.parameters = (
            step, folder, name, module, file, parameters)
        self.library, self.base, beside = f"lib{name}", f"{folder}/{name}", os.path.dirname(file) or "."
        self.passes, self.out = E("PASSES", "").split(), folder if step in ("bind", "fast") else f"{folder}/{step}"
        parts, waivers, self.asked = (file.removesuffix(".v") + end for end in (".f", ".vlt", ".probes"))
        # the module around it because of its inout ports; modules bound into those without probes, as .probes asks
        self.pins, self.probes, self.language = self.base + "_pins.v", self.base + "_probes.v", folder + "/language"
        self.covered = bool(E("COVERED"))
        self.waivers = ["scripts/lint.vlt", *filter(os.path.exists, [waivers])]
        self.flags = [*E("VERILATOR_FLAGS", "").split(), "-Wno-fatal", *("-D" + b for b in E("BLOCKS", "").split())]
        self.foreign = not file.startswith("rtl/") or BLOCK_FILES
        if self.foreign: self.flags += [*FOREIGN, "+incdir+" + beside]
        if self.foreign and step != "bind" and read(self.language): self.flags += SYSTEM_VERILOG
        self.flags += [word for f in BLOCK_FILES if f != file for word in ("-v", f)]
        if os.path.exists(parts): self.flags += ["-F", parts]  # of an external module, and their files
        self.flags += [word for d in (beside, *E("VERILOG_DIRS", "").split()) for word in ("-y", d)]

    def top(self):
        if os.path.exists(self.pins):
            return ["--top-module", self.name + "_pins", *self.waivers, self.pins, "-v", self.file]
        return [*("-G" + p for p in self.parameters), "--top-module", self.module, *self.waivers, self.file]

    def run(self, *command, must=True):
        """The exit code, and all that Verilator says: it is shown here if it must be good. A crash leaves no message of
        its own."""
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, close_fds=False,
                              errors="surrogateescape", check=False)
        code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        says = done.stdout + f"{VERILATOR} crashed: code {code} at module {self.module}, {self.file}\n" * (code >= 128)
        if must: sys.stderr.write(says)
        return sys.exit(code) if must and code else (code, says)

    def report(self, *more, must=True):
        return self.run("scripts/report.sh", self.base + ".design", "-Mdir", self.folder + "/report", *self.flags,
                        "scripts/probes.vlt", *more, must=must)

    def verilate(self, out, *more):
        """Verilator's C++ in OUT/cpp, with what the step wants."""
        remove(out + "/cpp")
        watched = self.watched() if self.covered else []
        self.run(VERILATOR, "--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--prefix", "V" + self.name,
                 "-Mdir", out + "/cpp", *self.flags, *QUIET, "-Wno-UNOPTFLAT", *more, *self.top(), *watched)
        if self.covered:
            import counters
            counters.main([out + "/cpp", self.name + ".full" * (out != self.folder), out + "/points"])

    def watched(self):
        """What counts: lines, toggles, and the states of machines."""
        import design, watched
        files = design.files(design.Design(self.base + ".design"))
        text = watched.text_of([f for f in files if f.startswith("rtl/")])
        write(self.base + "_watched.sv", text)
        return [*COUNTED, *[self.base + "_watched.sv"] * bool(text)]

    def shorten(self, *known):
        """Its evaluation."""
        import passes
        wanted = [p for p in self.passes if p in known]
        if wanted: passes.main([self.name, self.out + "/cpp", *wanted])

    def bindings(self, *arguments, mode=()):
        import bindings
        bindings.main([*mode, self.name, self.module, self.base + ".design", self.folder, *arguments])

    def bind(self):
        remove(self.language, self.pins, self.probes, self.folder + "/report")
        os.mkdir(self.folder + "/report")
        code, says = self.report(*self.top(), must=False)
        if code and self.foreign:
            code, of_system_verilog = self.report(*SYSTEM_VERILOG, *self.top(), must=False)
            if not code: write(self.language, "1800-2017\n")
            self.flags += SYSTEM_VERILOG
            # unless only its words are in the way
            if not code or "syntax error" in says or "syntax error" not in of_system_verilog: says = of_system_verilog
        if code or not BLOCK_FILES: sys.stderr.write(says)  # those of a block in a slot have been shown by slots.py
        if code: return 1
        design = read(self.base + ".design")
        # as XML, as JSON
        if 'dir="inout"' in design or '"direction":"INOUT"' in design: self.bindings(*self.parameters, mode=["--split"])
        if os.path.exists(self.pins): self.report(*QUIET, *self.top())
        if os.path.exists(self.asked): self.bindings(self.asked, mode=["--probes"])
        if os.path.exists(self.probes): self.report(*QUIET, *self.top(), self.probes)
        remove(self.folder + "/report")
        self.verilate(self.folder)
        self.shorten("evaluate", "rest")
        os.environ["VERILOG_FILE"] = self.file
        self.bindings(*self.parameters)
        return write(self.folder + "/bound", "")

    def lanes(self):
        import passes
        (width, *vectors), made, cpp = (E("LANES_FLAGS").split(), f"{self.out}/{self.library}.tmp",
                                        f"{self.out}/{self.name}_lanes")
        compiled = [*COMPILER.split(), *E("VERILATED_FLAGS").split(), AS_IT_IS, f"-DLANES={width}", "-DVM_TRACE=0",
                    "-I" + self.folder, f"-I{self.folder}/cpp"]
        shutil.copy(f"{self.folder}/{self.library}.a", made)
        remove(cpp + ".cpp")
        if width != "1": passes.main([self.name, self.folder + "/cpp", f"lanes:{cpp}.cpp"])
        # Without that file, or if it does not compile, lanes.py has said so and instances are evaluated one by one.
        if os.path.exists(cpp + ".cpp"):
            with open(self.out + "/errors", "w") as errors:
                bad = code_of(*compiled, "-std=gnu++20", *vectors, "-c", cpp + ".cpp", "-o", cpp + ".o", stderr=errors)
            if bad: passes.main(["--not-compiled", "lanes", self.name])
            else:
                glue = f"{self.out}/{self.name}_glue.o"
                need(*compiled, "-c", self.base + "_glue.cpp", "-o", glue)
                # the glue that is there knows nothing of lanes
                need(E("OBJCOPY") or "objcopy", "--wildcard", f"--localize-symbol={self.name}_*", made)
                need(E("AR") or "ar", "rs", made, cpp + ".o", glue, stderr=subprocess.DEVNULL)
        os.rename(made, f"{self.out}/{self.library}.a")

    def verilate_full(self):
        import initial_values
        trace = ["--trace", "scripts/probes.vlt", *filter(os.path.exists, [self.probes])]
        self.verilate(self.out, *trace)
        fast, other, apart = classes(self.folder), self.out + "/other.cpp", self.out + "/apart.vlt"
        if fast != classes(self.out):
            # with probes Verilator inlines other modules: no_inline names those to keep, or all are inlined
            kept = sorted({name.split("__")[0]
                           for name in re.findall(rf"^V{self.name}_([A-Za-z0-9].*)", "\n".join(fast), re.M)})
            write(apart, "`verilator_config\n" + "".join(f'no_inline -module "{m}"\n' for m in kept))
            self.verilate(self.out, *trace, *["--flatten"] * (not kept), apart)
            if fast != classes(self.out):
                warn(f"{self.name} with waves: the set of modules that are not inlined differs; registers without a "
                     f"reset may start with other values")
        self.shorten("evaluate", "rest", "places")
        # from 5.038 on start values follow from names, and are the same in every build
        write(other, "".join(map(read, sorted(glob.glob(self.folder + "/cpp/*__Slow.cpp")))))
        if "VL_SCOPED_RAND_RESET" not in read(other):
            initial_values.main([other, *(f for f in sorted(glob.glob(self.out + "/cpp/*.cpp")) if RESET in read(f))])
        remove(other)

    def write_sources(self):
        """Files of more than 200 KiB are compiled side by side. All others are one, with the glue: most of their time
        is what each includes. What runs once, at the start, is not optimized. The sources say so, for the headers are
        compiled for code that is. Where a value does not settle, Verilator can say which, but would only in models that
        are slow in all else (VL_DEBUG)."""
        as_written = b'#pragma GCC diagnostic ignored "-Wattributes"\n#pragma GCC optimize 0\n'
        if "clang" in COMPILER: as_written = b"#pragma clang optimize off\n"
        small, last = [], [as_written]
        for path in sorted([*glob.glob(self.out + "/cpp/*.cpp"), self.base + "_glue.cpp"]):
            with open(path, "rb") as file: whole = file.read()
            text = OF_DEBUG.sub(lambda m: b"#if 1\n" if b"___dump_triggers__" in m[1] else m[0], whole)
            at_the_start = path.endswith(("__Slow.cpp", "__Syms.cpp"))
            if len(whole) <= 200 * 1024: (last if at_the_start else small).append(text)
            else:
                with open(f"{self.out}/made/{os.path.basename(path)}", "wb") as file:
                    file.write(as_written * at_the_start + text)
        with open(f"{self.out}/made/V{self.name}__small.cpp", "wb") as file: file.writelines(small + last)

    def build(self):
        """The library of a step; whether its C++ compiles."""
        full, optimize, share = self.step == "full", E("OPTIMIZE") or "-O2", E("VERILATOR_SHARE", "")
        if full:
            optimize = "-O1"
            self.verilate_full()
        elif self.step != "fast":
            remove(self.out + "/cpp")
            shutil.copytree(self.folder + "/cpp", self.out + "/cpp")
            optimize = "-O2 -fprofile-instr-" + ("generate" if self.step == "training" else f"use={E('PROFILE')}")
        # From nothing, in a folder that is gone afterwards: what a killed build has left may be half.
        made, library, errors = (f"{self.out}/{name}" for name in ("made", self.library, "errors"))
        remove(made, library + ".tmp")
        os.mkdir(made)
        self.write_sources()
        headers = E("MODEL_HEADERS", "") and (f"-include {os.getcwd()}/{E('MODEL_HEADERS')}/"
                                              f"{'full' if full else 'fast'}.h -fpch-preprocess")
        with open(errors, "w") as says:
            code = code_of(*(E("MAKE") or "make").split(), "-s", "-f", share + "/include/verilated.mk",
                           *(name[:-3] + "o" for name in sorted(os.listdir(made))), "VERILATOR_ROOT=" + share,
                           "VM_PREFIX=V" + self.name, "VM_COVERAGE=0", "VM_SC=0", f"VM_TRACE={full:d}",
                           "VM_TRACE_FST=0", f"VM_TRACE_VCD={full:d}", f"OPT_FAST={optimize} {headers}",
                           "CXX=" + COMPILER, f"USER_CPPFLAGS={CPP_FLAGS} -I../cpp -I.. -I../.. -I{os.getcwd()}",
                           cwd=made, stdout=subprocess.DEVNULL, stderr=says) or \
                code_of(E("AR") or "ar", "rcs", f"../{self.library}.tmp",
                        *sorted(f for f in os.listdir(made) if f.endswith(".o")), cwd=made, stderr=says)
        if not code or not self.passes: sys.stderr.write(read(errors))
        if code: return False
        remove(made, errors)
        os.rename(library + ".tmp", library + ".a")
        return True


def main(arguments):
    if arguments == ["flags"]: return print(CPP_FLAGS)
    gc.disable()  # a short life, with many objects
    step, folder, name = arguments[:3]
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (most, most))  # Verilator calls itself as deep as an expression is
    model = Model(*arguments)
    os.makedirs(model.out, exist_ok=True)
    lock(f"{folder}/{step}.lock")  # two makes in one tree do not build the same model at the same time
    if step == "bind": return model.bind()
    if step == "lanes": return model.lanes()
    if model.build(): return 0
    if not model.passes: return 1
    model.passes = []  # as Verilator prints it
    if step != "full": model.verilate(folder)
    if not model.build(): return 1
    import passes
    return passes.main(["--not-compiled", "passes", name])
