// Every function of the vendor's table, exported under its name and checked against its declaration there.
#pragma once

#include "driver.h"

#define FL_DRIVER extern "C" __attribute__((visibility("default"))) ::torch_fl_cuda::CUresult

using namespace torch_fl_cuda;
#define FL_DECLARE(name, arguments) FL_DRIVER name arguments;
FL_CUDA_FUNCTIONS(FL_DECLARE)
#undef FL_DECLARE
FL_DRIVER cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device);
