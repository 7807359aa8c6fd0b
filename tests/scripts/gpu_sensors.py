#!/usr/bin/env python3
"""What a reading of each sensor of the first GPU costs, by NVIDIA's management library (NVML).

Prints the median and the longest of 20 readings in microseconds, and how often the value changed. Exit status 77 if
there is no such library, or no GPU."""

import ctypes
import statistics
import sys
import time

READINGS = 20


class Value(ctypes.Structure):
    """nvmlFieldValue_t"""
    _fields_ = [("field", ctypes.c_uint), ("scope", ctypes.c_uint), ("time", ctypes.c_longlong),
                ("latency", ctypes.c_longlong), ("type", ctypes.c_int), ("answer", ctypes.c_int),
                ("value", ctypes.c_ulonglong)]


def sensors():
    """Names, functions, and arguments between the device and the pointer to the value."""
    yield from (("clock of the multiprocessors", "nvmlDeviceGetClockInfo", (1,)),
                ("clock of the memory", "nvmlDeviceGetClockInfo", (2,)),
                ("reasons for the clock", "nvmlDeviceGetCurrentClocksEventReasons", ()),
                ("temperature", "nvmlDeviceGetTemperature", (0,)),
                ("power", "nvmlDeviceGetPowerUsage", ()),
                ("power limit", "nvmlDeviceGetEnforcedPowerLimit", ()),
                ("energy", "nvmlDeviceGetTotalEnergyConsumption", ()),
                ("memory", "nvmlDeviceGetMemoryInfo", ()),
                ("uncorrected errors", "nvmlDeviceGetTotalEccErrors", (1, 0)))


def timed(call):
    """Microseconds of each reading, the answers, and the values."""
    took, answers, values = [], set(), []
    for _ in range(READINGS):
        start = time.perf_counter_ns()
        answer, value = call()
        took.append((time.perf_counter_ns() - start) / 1e3)
        answers.add(answer)
        values.append(value)
    return took, answers, values


def show(name, took, answers, values):
    state = "" if answers == {0} else f", NVML error {', '.join(map(str, sorted(answers)))}"
    changes = sum(one != other for one, other in zip(values, values[1:]))
    print(f"{name:32} {statistics.median(took):10.1f} us, {max(took):10.1f} at most, {changes:2} changes{state}",
          flush=True)


def main():
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError as error:
        print(error, file=sys.stderr)
        sys.exit(77)
    device, words = ctypes.c_void_p(), (ctypes.c_ulonglong * 64)()
    answer = nvml.nvmlInit_v2() or nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device))
    if answer:
        print(f"NVML finds no GPU: error {answer}", file=sys.stderr)
        sys.exit(77)
    for name, function, arguments in sensors():
        call = getattr(nvml, function, None)
        if call:
            show(name, *timed(lambda: (call(device, *arguments, ctypes.byref(words)), words[0])))
        else:
            print(f"{name:32} not in this library")
    for field, name in ((74, "time at the power cap"), (75, "time at the thermal limit")):
        value = Value(field=field)
        def read(value=value):
            return nvml.nvmlDeviceGetFieldValues(device, 1, ctypes.byref(value)) or value.answer, value.value
        if hasattr(nvml, "nvmlDeviceGetFieldValues"):
            show(name, *timed(read))


if __name__ == "__main__":
    main()
