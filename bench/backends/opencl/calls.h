#ifndef BENCH_BACKENDS_OPENCL_CALLS_H
#define BENCH_BACKENDS_OPENCL_CALLS_H

/* Every call of OpenCL is noted before it begins (last_call.h): a macro is not expanded within itself, so that the name
 * below calls the function. A test compares the list with what is called. */

#include "harness/base/last_call.h"

#define clBuildProgram(...)            CALL("clBuildProgram", clBuildProgram(__VA_ARGS__))
#define clCreateBuffer(...)            CALL("clCreateBuffer", clCreateBuffer(__VA_ARGS__))
#define clCreateCommandQueue(...)      CALL("clCreateCommandQueue", clCreateCommandQueue(__VA_ARGS__))
#define clCreateContext(...)           CALL("clCreateContext", clCreateContext(__VA_ARGS__))
#define clCreateKernel(...)            CALL("clCreateKernel", clCreateKernel(__VA_ARGS__))
#define clCreateProgramWithSource(...) CALL("clCreateProgramWithSource", clCreateProgramWithSource(__VA_ARGS__))
#define clCreateSubBuffer(...)         CALL("clCreateSubBuffer", clCreateSubBuffer(__VA_ARGS__))
#define clCreateSubDevices(...)        CALL("clCreateSubDevices", clCreateSubDevices(__VA_ARGS__))
#define clEnqueueCopyBuffer(...)       CALL("clEnqueueCopyBuffer", clEnqueueCopyBuffer(__VA_ARGS__))
#define clEnqueueMapBuffer(...)        CALL("clEnqueueMapBuffer", clEnqueueMapBuffer(__VA_ARGS__))
#define clEnqueueNDRangeKernel(...)    CALL("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(__VA_ARGS__))
#define clEnqueueReadBuffer(...)       CALL("clEnqueueReadBuffer", clEnqueueReadBuffer(__VA_ARGS__))
#define clEnqueueUnmapMemObject(...)   CALL("clEnqueueUnmapMemObject", clEnqueueUnmapMemObject(__VA_ARGS__))
#define clEnqueueWriteBuffer(...)      CALL("clEnqueueWriteBuffer", clEnqueueWriteBuffer(__VA_ARGS__))
#define clFinish(...)                  CALL("clFinish", clFinish(__VA_ARGS__))
#define clFlush(...)                   CALL("clFlush", clFlush(__VA_ARGS__))
#define clGetDeviceIDs(...)            CALL("clGetDeviceIDs", clGetDeviceIDs(__VA_ARGS__))
#define clGetDeviceInfo(...)           CALL("clGetDeviceInfo", clGetDeviceInfo(__VA_ARGS__))
#define clGetEventInfo(...)            CALL("clGetEventInfo", clGetEventInfo(__VA_ARGS__))
#define clGetEventProfilingInfo(...)   CALL("clGetEventProfilingInfo", clGetEventProfilingInfo(__VA_ARGS__))
#define clGetKernelWorkGroupInfo(...)  CALL("clGetKernelWorkGroupInfo", clGetKernelWorkGroupInfo(__VA_ARGS__))
#define clGetPlatformIDs(...)          CALL("clGetPlatformIDs", clGetPlatformIDs(__VA_ARGS__))
#define clGetPlatformInfo(...)         CALL("clGetPlatformInfo", clGetPlatformInfo(__VA_ARGS__))
#define clGetProgramBuildInfo(...)     CALL("clGetProgramBuildInfo", clGetProgramBuildInfo(__VA_ARGS__))
#define clReleaseCommandQueue(...)     CALL("clReleaseCommandQueue", clReleaseCommandQueue(__VA_ARGS__))
#define clReleaseContext(...)          CALL("clReleaseContext", clReleaseContext(__VA_ARGS__))
#define clReleaseDevice(...)           CALL("clReleaseDevice", clReleaseDevice(__VA_ARGS__))
#define clReleaseEvent(...)            CALL("clReleaseEvent", clReleaseEvent(__VA_ARGS__))
#define clReleaseKernel(...)           CALL("clReleaseKernel", clReleaseKernel(__VA_ARGS__))
#define clReleaseMemObject(...)        CALL("clReleaseMemObject", clReleaseMemObject(__VA_ARGS__))
#define clReleaseProgram(...)          CALL("clReleaseProgram", clReleaseProgram(__VA_ARGS__))
#define clSetKernelArg(...)            CALL("clSetKernelArg", clSetKernelArg(__VA_ARGS__))

#endif
