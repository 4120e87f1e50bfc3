/*
 * vendor.h: the boundary between torch-fl's core and one vendor.
 *
 * Plain C. Core and vendor share nothing but this file: a vendor library needs neither PyTorch nor Python to build
 * or to load. A vendor exports one function:
 *
 *     fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* vendor);
 *
 * Rules that hold for every function here, unless its comment says otherwise:
 *  - Versions. Every struct that may grow starts with `struct_size`, the size that its *writer* was compiled with; a
 *    reader never looks past it. Fields are appended, never moved, retyped or removed, within one ABI major. A null
 *    slot means "not offered": core uses something else, or reports the feature as absent.
 *  - Threads. Every slot may be called from any thread, and from several at once. Core calls `thread_attach` first on
 *    a thread that it has not used before, and `set_device` when the device changes on that thread.
 *  - Ownership. Pointers inside an fl_call, and strings passed to a function, die when the function returns. Strings
 *    and tables that a vendor hands out live until `shutdown`.
 *  - Errors. A function returns a status and never lets an exception cross. Before it returns anything but FL_OK,
 *    FL_NOT_READY or FL_UNSUPPORTED it calls core->set_error() with its SDK's code and words.
 *  - Units. Sizes of memory are bytes, sizes of tensors are elements, times are nanoseconds unless named otherwise.
 */
#ifndef TORCH_FL_VENDOR_H_
#define TORCH_FL_VENDOR_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FL_ABI_MAJOR 1
#define FL_ABI_MINOR 0

#if defined(_WIN32)
#define FL_EXPORT __declspec(dllexport)
#else
#define FL_EXPORT __attribute__((visibility("default")))
#endif

/* ------------------------------------------------------------------------------------------------------ statuses */

typedef enum fl_status {
  FL_OK = 0,
  /* Nothing was enqueued or written. Core serves this signature by the next lane from now on. */
  FL_UNSUPPORTED = 1,
  /* Core empties its cache and retries once, then raises torch.OutOfMemoryError. */
  FL_OOM = 2,
  /* An event or stream still has work; only from *_query. */
  FL_NOT_READY = 3,
  FL_INVALID_VALUE = 4,
  FL_INVALID_DEVICE = 5,
  FL_NO_DEVICE = 6,
  /* The SDK failed; the device may be unusable. Never retried. */
  FL_FAILED = 7,
  /* fl_vendor_init only: the two sides cannot work together. */
  FL_ABI_MISMATCH = 8,
  /* A kernel found an index outside of its dimension; raised as IndexError. */
  FL_INDEX_ERROR = 9
} fl_status;

/* -------------------------------------------------------------------------------------------------------- dtypes */

/* DLPack's DLDataType: code, bits, lanes. */
typedef struct fl_dtype {
  uint8_t code; /* fl_dtype_code */
  uint8_t bits;
  uint16_t lanes; /* always 1 */
} fl_dtype;

typedef enum fl_dtype_code {
  FL_CODE_INT = 0,
  FL_CODE_UINT = 1,
  FL_CODE_FLOAT = 2,
  FL_CODE_BFLOAT = 4,
  FL_CODE_COMPLEX = 5,
  FL_CODE_BOOL = 6,
  FL_CODE_FLOAT8_E4M3FN = 10,
  FL_CODE_FLOAT8_E4M3FNUZ = 11,
  FL_CODE_FLOAT8_E5M2 = 12,
  FL_CODE_FLOAT8_E5M2FNUZ = 13,
  /* A type that core does not describe (quantized, packed). No row is ever called with it. */
  FL_CODE_OTHER = 255
} fl_dtype_code;

/* Dense numbers of the dtypes, for switches and for the bit masks of rows. */
typedef enum fl_dtype_id {
  FL_BOOL = 0,
  FL_U8 = 1,
  FL_I8 = 2,
  FL_I16 = 3,
  FL_I32 = 4,
  FL_I64 = 5,
  FL_U16 = 6,
  FL_U32 = 7,
  FL_U64 = 8,
  FL_F16 = 9,
  FL_BF16 = 10,
  FL_F32 = 11,
  FL_F64 = 12,
  FL_C32 = 13, /* two float16 */
  FL_C64 = 14, /* two float32 */
  FL_C128 = 15,
  FL_F8_E4M3FN = 16,
  FL_F8_E4M3FNUZ = 17,
  FL_F8_E5M2 = 18,
  FL_F8_E5M2FNUZ = 19,
  FL_OTHER_DTYPE = 63
} fl_dtype_id;

#define FL_MASK(id) (UINT64_C(1) << (id))
#define FL_MASK_ANY UINT64_MAX

static inline fl_dtype_id fl_dtype_to_id(fl_dtype t) {
  switch (t.code) {
    case FL_CODE_BOOL:
      return FL_BOOL;
    case FL_CODE_INT:
      return t.bits == 8    ? FL_I8
             : t.bits == 16 ? FL_I16
             : t.bits == 32 ? FL_I32
             : t.bits == 64 ? FL_I64
                            : FL_OTHER_DTYPE;
    case FL_CODE_UINT:
      return t.bits == 8    ? FL_U8
             : t.bits == 16 ? FL_U16
             : t.bits == 32 ? FL_U32
             : t.bits == 64 ? FL_U64
                            : FL_OTHER_DTYPE;
    case FL_CODE_FLOAT:
      return t.bits == 16 ? FL_F16 : t.bits == 32 ? FL_F32 : t.bits == 64 ? FL_F64 : FL_OTHER_DTYPE;
    case FL_CODE_BFLOAT:
      return t.bits == 16 ? FL_BF16 : FL_OTHER_DTYPE;
    case FL_CODE_COMPLEX:
      return t.bits == 32 ? FL_C32 : t.bits == 64 ? FL_C64 : t.bits == 128 ? FL_C128 : FL_OTHER_DTYPE;
    case FL_CODE_FLOAT8_E4M3FN:
      return FL_F8_E4M3FN;
    case FL_CODE_FLOAT8_E4M3FNUZ:
      return FL_F8_E4M3FNUZ;
    case FL_CODE_FLOAT8_E5M2:
      return FL_F8_E5M2;
    case FL_CODE_FLOAT8_E5M2FNUZ:
      return FL_F8_E5M2FNUZ;
    default:
      return FL_OTHER_DTYPE;
  }
}

/* Bytes of one element. */
static inline size_t fl_dtype_size(fl_dtype t) { return t.code == FL_CODE_BOOL ? 1 : (size_t)t.bits / 8; }

/* ------------------------------------------------------------------------------------------------------- values */

/* DLPack's DLDevice. `type` is DLPack's kDLExtDev (12). */
typedef struct fl_device {
  int32_t type;
  int32_t index;
} fl_device;
#define FL_DEVICE_TYPE 12

/*
 * A tensor: DLPack's DLTensor field by field, then the storage that it is a view of. `data` already points at the
 * first element (byte_offset is 0). Strides are in elements and never null. A sizes or strides array of a 0-d tensor
 * may be null. An absent tensor inside a list of optional tensors has ndim -1.
 */
typedef struct fl_tensor {
  void* data;
  fl_device device;
  int32_t ndim;
  fl_dtype dtype;
  int64_t* sizes;
  int64_t* strides;
  uint64_t byte_offset;
  void* storage_base;
  uint64_t storage_bytes;
} fl_tensor;

typedef enum fl_kind {
  FL_NONE = 0, /* None, or an output that the caller does not want (a masked gradient) */
  FL_TENSOR = 1,
  FL_INT = 2,
  FL_DOUBLE = 3,
  FL_BOOLEAN = 4,
  FL_COMPLEX = 5,
  FL_SCALAR = 6, /* a Python number; its own kind is in fl_scalar.kind */
  FL_DTYPE = 7,
  FL_LAYOUT = 8,
  FL_MEMORY_FORMAT = 9,
  FL_STRING = 10,
  FL_GENERATOR = 11,
  FL_DEVICE = 12,
  FL_TENSOR_LIST = 20,          /* fl_tensor[] */
  FL_OPTIONAL_TENSOR_LIST = 21, /* fl_tensor[], absent ones have ndim -1 */
  FL_INT_LIST = 22,             /* int64_t[] */
  FL_DOUBLE_LIST = 23,          /* double[] */
  FL_BOOL_LIST = 24,            /* uint8_t[] */
  FL_SCALAR_LIST = 25,          /* fl_scalar[] */
  FL_STRING_LIST = 26           /* const char*[] */
} fl_kind;

/* A number with the kind that it had in Python: 1, 1.0, True and 1+0j are different calls. */
typedef struct fl_scalar {
  uint32_t kind;    /* FL_INT, FL_DOUBLE, FL_BOOLEAN or FL_COMPLEX */
  uint32_t wrapped; /* 1: a Python number among tensors (it does not take part in type promotion as a tensor would) */
  union {
    int64_t i;   /* FL_INT, FL_BOOLEAN */
    double d;    /* FL_DOUBLE */
    double c[2]; /* FL_COMPLEX: real, imaginary */
  } v;
} fl_scalar;

/* Every array states its element size, so that elements can grow. */
typedef struct fl_list {
  const void* data;
  size_t count;
  size_t element_size;
} fl_list;

/* The numbers of c10::Layout and c10::MemoryFormat. */
typedef enum fl_layout { FL_STRIDED = 0 } fl_layout;
typedef enum fl_memory_format {
  FL_CONTIGUOUS = 0,
  FL_PRESERVE = 1,
  FL_CHANNELS_LAST = 2,
  FL_CHANNELS_LAST_3D = 3
} fl_memory_format;

/* A random generator of the device. Its numbers come from core->philox(). */
typedef struct fl_generator {
  void* handle;
  int32_t device;
} fl_generator;

typedef struct fl_value {
  uint32_t kind;  /* fl_kind */
  uint32_t flags; /* fl_value_flags */
  union {
    fl_tensor tensor;
    fl_scalar scalar;
    int64_t i;      /* FL_INT, FL_BOOLEAN */
    double d;       /* FL_DOUBLE */
    double c[2];    /* FL_COMPLEX */
    fl_dtype dtype; /* FL_DTYPE */
    int32_t e;      /* FL_LAYOUT, FL_MEMORY_FORMAT */
    const char* s;  /* FL_STRING */
    fl_generator generator;
    fl_device device;
    fl_list list;
  } v;
} fl_value;

typedef enum fl_value_flags {
  FL_VALUE_WRITTEN = 1 /* the schema says that this argument is written */
} fl_value_flags;

/* --------------------------------------------------------------------------------------------------------- calls */

/* A stream as the vendor made it (stream_create). Never null in a call. */
typedef void* fl_stream;
/* An event as the vendor made it (event_create). */
typedef void* fl_event;

typedef enum fl_call_flags {
  FL_CALL_DETERMINISTIC = 1,    /* torch.use_deterministic_algorithms(True) */
  FL_CALL_ALLOW_TF32 = 2,       /* float32 products may use a shorter mantissa */
  FL_CALL_REDUCED_FP16_SUM = 4, /* float16 sums inside products may be kept in float16 */
  FL_CALL_IN_PLACE = 8          /* out 0 is argument 0, in one memory unless the row says NO_ALIAS */
} fl_call_flags;

struct fl_row;

/*
 * One call of a row. `args` are the arguments of the row's schema, in its order, mapped by name from the schema that
 * the torch in use has; keyword-only arguments follow the positional ones. `outs` are the results, in order, already
 * allocated (except DYNAMIC_OUTPUT): FL_TENSOR, FL_NONE, FL_TENSOR_LIST, or a host value that the kernel writes.
 * In the in-place and out= spellings the outputs are the caller's tensors. Read through fl_arg() and fl_out().
 */
typedef struct fl_call {
  size_t struct_size;
  const struct fl_row* row;
  fl_stream stream;
  int32_t device;
  uint32_t flags; /* fl_call_flags */
  const fl_value* args;
  fl_value* outs;
  int32_t arg_count;
  int32_t out_count;
  size_t value_size; /* of one element of args and outs */
  void* core;        /* core's own */
} fl_call;

static inline const fl_value* fl_arg(const fl_call* call, int32_t i) {
  return (const fl_value*)((const char*)call->args + (size_t)i * call->value_size);
}
static inline fl_value* fl_out(const fl_call* call, int32_t i) {
  return (fl_value*)((char*)call->outs + (size_t)i * call->value_size);
}

/* ---------------------------------------------------------------------------------------------------------- rows */

/* What core does with the arguments before a row sees them. None of it is a vendor kernel's business. */
typedef enum fl_row_flags {
  /* Value arguments (all tensors but masks and indices) are converted to their common dtype. */
  FL_ROW_PROMOTE = 1 << 0,
  /* As PROMOTE, and an integral common dtype becomes the default float dtype. */
  FL_ROW_PROMOTE_FLOAT = 1 << 1,
  /* Value arguments and masks are expanded to the shape of output 0 (strides of 0 where they repeat). */
  FL_ROW_BROADCAST = 1 << 2,
  /* Tensor arguments and outputs are contiguous. */
  FL_ROW_CONTIGUOUS = 1 << 3,
  /* A 0-d tensor is shown as one element of rank 1. */
  FL_ROW_RANK0_AS_RANK1 = 1 << 4,
  /* A number, or a 0-d tensor on the host, in the place of a tensor is given as FL_SCALAR. Without this flag it is
     staged as a 0-d tensor on the device. */
  FL_ROW_HOST_SCALARS = 1 << 5,
  /* Arguments of kind Scalar are staged as 0-d device tensors of the compute dtype. */
  FL_ROW_STAGE_SCALARS = 1 << 6,
  /* int64 index arguments are narrowed to int32 with saturation; only where the indexed size is below 2^31, else the
     call goes to the next lane. */
  FL_ROW_INDEX_I32 = 1 << 7,
  /* float16 and bfloat16 arguments are widened to float32, outputs rounded back. Where PROMOTE makes one of them of
     arguments of several dtypes, each is rounded to that before. */
  FL_ROW_WIDEN_HALF = 1 << 8,
  /* The outputs' sizes depend on data: the kernel calls core->alloc_output(), their layout is never cached. */
  FL_ROW_DYNAMIC_OUTPUT = 1 << 9,
  /* Outputs must not share memory with arguments: core gives a temporary where they do, in place too. The kernel writes
     every element of it. */
  FL_ROW_NO_ALIAS = 1 << 10,
  /* A 64-bit value may be moved as two 32-bit values (data movement rows only, proven by a test). */
  FL_ROW_PAIRS_64 = 1 << 11,
  /* The kernel takes random numbers from core->philox(). */
  FL_ROW_RANDOM = 1 << 12,
  /* The result depends on FL_CALL_DETERMINISTIC; without this flag a row is deterministic. */
  FL_ROW_NONDETERMINISTIC = 1 << 13,
  /* As CONTIGUOUS, but an argument that BROADCAST expands keeps its strides of 0: it is contiguous in its own sizes. */
  FL_ROW_DENSE = 1 << 14
} fl_row_flags;

/* The spellings of an op that a row serves. */
typedef enum fl_spelling {
  FL_FUNCTIONAL = 1, /* add.Tensor(self, other) -> new tensor */
  FL_INPLACE = 2,    /* add_.Tensor(self!, other) */
  FL_OUT = 4         /* add.out(self, other, out!) */
} fl_spelling;

/*
 * prepare(call, &state): optional; once per plan, before its first run, with the pointers of that first call. It may
 *   query workspaces, build descriptors, and refuse with FL_UNSUPPORTED. The state is shared by threads.
 * run(call, state): enqueues the work on call->stream and returns; it may run at once. Temporaries come from
 *   core->alloc and may be freed as soon as the work is enqueued (the allocator is ordered by stream).
 * release(state): optional; once, when no run uses the state any more, on any thread, possibly during shutdown.
 */
typedef fl_status (*fl_prepare_fn)(const fl_call* call, void** state);
typedef fl_status (*fl_run_fn)(const fl_call* call, void* state);
typedef void (*fl_release_fn)(void* state);

typedef struct fl_row {
  size_t struct_size;
  /* The full schema that the row was written for, "aten::add.Tensor(Tensor self, ...) -> Tensor". An op without a
     functional spelling gives its in-place or out= schema. */
  const char* schema;
  fl_prepare_fn prepare; /* may be null */
  fl_run_fn run;
  fl_release_fn release; /* may be null */
  const uint64_t*
      arg_dtypes; /* per argument of `schema`: mask of the dtypes taken, after legalisation; 0 = no tensor */
  const uint64_t* out_dtypes; /* per output */
  int32_t arg_count;
  int32_t out_count;
  int32_t max_rank;   /* -1: any */
  uint32_t spellings; /* fl_spelling */
  uint64_t flags;     /* fl_row_flags */
  /* How core finds the outputs' layout: null = PyTorch's own structured meta function; else a rule's name
     (docs/vendor-abi.md lists them). */
  const char* layout;
} fl_row;

/* ------------------------------------------------------------------------------------------------------ core api */

/* What core offers a vendor. Usable outside calls too, from any thread, from fl_vendor_init on. */
typedef struct fl_core_api {
  size_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  /* Device memory from core's caching allocator, ordered by `stream`. FL_OOM when there is none. */
  fl_status (*alloc)(int32_t device, fl_stream stream, size_t bytes, void** ptr);
  /* Gives memory of alloc() back; work already enqueued on its stream may still use it. */
  void (*free)(int32_t device, void* ptr);
  /* The stream that the calling thread uses on `device`. */
  fl_stream (*current_stream)(int32_t device);
  /*
   * Makes output `slot` of a DYNAMIC_OUTPUT row: allocates it, or resizes the caller's out= tensor, and fills *out.
   * At most once per slot and call.
   */
  fl_status (*alloc_output)(const fl_call* call, int32_t slot, fl_dtype dtype, int32_t ndim, const int64_t* sizes,
                            fl_tensor* out);
  /*
   * Reserves `increment` random offsets (rounded up to 4) of a generator; null = the device's default generator.
   * The numbers are Philox4x32-10(seed, subsequence, offset), as CUDA's.
   */
  fl_status (*philox)(int32_t device, const fl_generator* generator, uint64_t increment, uint64_t* seed,
                      uint64_t* offset);
  /* level: 0 debug, 1 info, 2 warning, 3 error. Warnings and errors reach the user. */
  void (*log)(int32_t level, const char* text);
  /* The SDK's code and words for the error that the calling function is about to return; copied. */
  void (*set_error)(int64_t code, const char* text);
} fl_core_api;

/* ---------------------------------------------------------------------------------------------------- vendor api */

typedef struct fl_device_properties {
  size_t struct_size; /* set by core */
  char name[128];
  char architecture[64]; /* the name that compilers for it use */
  uint64_t total_memory;
  int32_t multiprocessors;
  int32_t warp_size;
  int32_t major;
  int32_t minor;
  uint64_t supported_dtypes; /* mask of dtypes that memory of the device may hold */
} fl_device_properties;

/* Which hardware stands behind a device index, after the SDK's own visible-devices variable. */
typedef struct fl_device_map {
  size_t struct_size; /* set by core */
  int32_t card;
  int32_t partition; /* -1: the whole card */
  uint8_t uuid[16];
} fl_device_map;

typedef enum fl_copy_kind { FL_H2D = 1, FL_D2H = 2, FL_D2D = 3 } fl_copy_kind;

typedef enum fl_event_want {
  FL_EVENT_TIMING = 1,   /* event_elapsed works on it */
  FL_EVENT_BLOCKING = 2, /* event_synchronize gives the processor away */
  FL_EVENT_IPC = 4
} fl_event_want;

typedef struct fl_vendor_api {
  size_t struct_size; /* set by core to its own size before the call, by the vendor to its own in fl_vendor_init */
  uint32_t abi_major; /* set by core, then by the vendor */
  uint32_t abi_minor;
  const char* name;    /* the vendor's one short name */
  const char* version; /* of the library; names a stand-in SDK where one is behind it */

  /* --- life. init: once, before anything else; FL_NO_DEVICE where the machine has none. shutdown: once, at exit,
     before the SDK is torn down; no call comes after it. thread_attach: once per thread that will make calls. */
  fl_status (*init)(void);
  void (*shutdown)(void);
  fl_status (*thread_attach)(void);

  /* --- devices. set_device makes `device` the calling thread's current one (needed by SDKs with per-thread
     contexts); every other function names its device and must work whatever the current one is. */
  fl_status (*device_count)(int32_t* count);
  fl_status (*set_device)(int32_t device);
  fl_status (*device_synchronize)(int32_t device);
  fl_status (*device_get_properties)(int32_t device, fl_device_properties* properties);
  fl_status (*device_get_map)(int32_t device, fl_device_map* map);
  fl_status (*can_access_peer)(int32_t device, int32_t peer, int32_t* can);
  fl_status (*enable_peer_access)(int32_t device, int32_t peer);

  /* --- memory. malloc: at least 256-byte aligned; FL_OOM where there is none. free: waits for nothing; core has made
     sure that no work uses it. host_malloc: page-locked memory that asynchronous copies can use.
     memcpy/memset on a stream are ordered with its work and return at once; the *_sync forms return when done and are
     ordered after work already enqueued on the device's streams. Both capacities (bytes from the pointer to the end
     of its allocation) and both devices are given; for host memory the device is -1. A d2d copy between two devices
     is ordered on `stream`, which belongs to dst_device or to src_device. */
  fl_status (*malloc)(int32_t device, size_t bytes, void** ptr);
  fl_status (*free)(int32_t device, void* ptr);
  fl_status (*mem_info)(int32_t device, uint64_t* free_bytes, uint64_t* total_bytes);
  fl_status (*host_malloc)(size_t bytes, void** ptr);
  fl_status (*host_free)(void* ptr);
  fl_status (*memcpy_async)(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                            int32_t src_device, size_t bytes, fl_copy_kind kind, fl_stream stream);
  fl_status (*memcpy_sync)(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                           int32_t src_device, size_t bytes, fl_copy_kind kind);
  fl_status (*memset_async)(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes, fl_stream stream);
  fl_status (*memset_sync)(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes);

  /* --- streams. Priorities are asked positively: 0 is normal, larger is more urgent, up to *max_priority. */
  fl_status (*stream_priority_range)(int32_t device, int32_t* max_priority);
  fl_status (*stream_create)(int32_t device, int32_t priority, fl_stream* stream);
  fl_status (*stream_destroy)(int32_t device, fl_stream stream);
  fl_status (*stream_synchronize)(int32_t device, fl_stream stream);
  fl_status (*stream_query)(int32_t device, fl_stream stream); /* FL_OK or FL_NOT_READY */
  fl_status (*stream_wait_event)(int32_t device, fl_stream stream, fl_event event);
  fl_status (*stream_native_handle)(int32_t device, fl_stream stream, void** handle);
  /* Calls fn(user) on some host thread when the work enqueued so far is done; fn makes no calls to the device. */
  fl_status (*host_callback)(int32_t device, fl_stream stream, void (*fn)(void* user), void* user);

  /* --- events. A recorded event may be recorded again. Waiting for, or asking, a never recorded one is FL_OK. */
  fl_status (*event_create)(int32_t device, uint32_t want, fl_event* event);
  fl_status (*event_destroy)(int32_t device, fl_event event);
  fl_status (*event_record)(int32_t device, fl_event event, fl_stream stream);
  fl_status (*event_query)(int32_t device, fl_event event); /* FL_OK or FL_NOT_READY */
  fl_status (*event_synchronize)(int32_t device, fl_event event);
  fl_status (*event_elapsed)(int32_t device, fl_event start, fl_event end, double* milliseconds);

  /* --- rows: an array of row_count rows, row_size bytes apart. */
  const fl_row* rows;
  size_t row_count;
  size_t row_size;

  /* --- extensions: the table of that name and version (the structs below), or null. */
  const void* (*get_extension)(const char* name, uint32_t version);
} fl_vendor_api;

/* The one exported function. Fills *vendor and returns FL_OK, or refuses with FL_ABI_MISMATCH. Touches no device. */
typedef fl_status (*fl_vendor_init_fn)(const fl_core_api* core, fl_vendor_api* vendor);
#define FL_VENDOR_INIT_SYMBOL "fl_vendor_init"

/* ---------------------------------------------------------------------------------------------------- extensions */

/* "module", 1: load a compiled kernel and launch it. */
typedef struct fl_launch {
  size_t struct_size;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  uint32_t arg_count;
  const void* const* args; /* pointers to the arguments' values */
  const size_t* arg_sizes; /* bytes of each value */
  const char* metadata;    /* the compiler's own description of the kernel, JSON; may be null */
  /* Only of a vendor whose `launch_features` has them. */
  uint32_t cluster;  /* blocks along x that run together and share what they have; 0 and 1: each for itself */
  uint32_t features; /* FL_LAUNCH_COOPERATIVE, FL_LAUNCH_PROGRAMMATIC */
} fl_launch;
#define FL_LAUNCH_CLUSTER 1u     /* `cluster` may be more than 1; grid[0] counts blocks */
#define FL_LAUNCH_COOPERATIVE 2u /* all blocks run at once, and may wait for each other */
#define FL_LAUNCH_PROGRAMMATIC                                                          \
  4u /* may begin before the stream's work before it has ended; the kernel waits itself \
      */

/* A tensor as kernels that fetch tiles of it want it described. Numbers without a meaning here are the compiler's own
   for this vendor. */
typedef struct fl_tensor_map {
  size_t struct_size;
  void* address;
  uint32_t element_type;
  uint32_t element_bytes;
  uint32_t swizzle;
  uint32_t fill; /* of what lies outside */
  uint32_t rank;
  uint32_t box[5];     /* elements of a tile; the fastest dimension first, as below */
  uint64_t sizes[5];   /* elements */
  uint64_t strides[5]; /* bytes to the next element of the dimension after; that of the slowest counts for nothing */
} fl_tensor_map;

typedef struct fl_ext_module {
  size_t struct_size;
  fl_status (*load)(int32_t device, const void* image, size_t bytes, void** module);
  fl_status (*unload)(int32_t device, void* module);
  fl_status (*get_function)(int32_t device, void* module, const char* name, void** function);
  fl_status (*launch)(int32_t device, void* function, const fl_launch* launch, fl_stream stream);
  /* optional, as are those below: what launch() honours of `cluster` and `features` */
  uint64_t launch_features;
  /* the bytes of a kernel's parameter that describes a tensor, and what makes one; out is aligned to 64 bytes */
  size_t tensor_map_bytes;
  fl_status (*encode_tensor_map)(int32_t device, const fl_tensor_map* map, void* out);
} fl_ext_module;

/* "profiler", 1: what ran when. The callback comes from any thread, after the work ended; it must be quick. */
typedef struct fl_activity {
  size_t struct_size;
  const char* name;
  int32_t device;
  uint32_t kind; /* 0 kernel, 1 copy, 2 memset, 3 host callback */
  fl_stream stream;
  uint64_t correlation; /* unique per activity */
  uint64_t enqueue_ns;  /* CLOCK_MONOTONIC */
  uint64_t start_ns;
  uint64_t end_ns;
  uint64_t bytes; /* of a copy or memset */
} fl_activity;
typedef struct fl_ext_profiler {
  size_t struct_size;
  fl_status (*start)(void (*callback)(const fl_activity* activity, void* user), void* user);
  /* Returns when every activity enqueued before it has been reported. */
  fl_status (*stop)(void);
} fl_ext_profiler;

/* "host_access", 1: device memory that the host can address (boxing to the CPU key). begin() returns when the work on
   `stream` is done and the memory of `device` may be touched by the calling thread until end(). In between, the stream
   is the caller's: what it enqueues itself runs at once, and what other threads enqueue waits for end(), because core
   may give memory that they have freed to the work of the host. Absent where the device's memory is not host memory;
   calls nest. end is null where nothing has to be closed. */
typedef struct fl_ext_host_access {
  size_t struct_size;
  fl_status (*begin)(int32_t device, fl_stream stream);
  fl_status (*end)(int32_t device, fl_stream stream);
} fl_ext_host_access;

/* "host_register", 1: page-locks memory that the host already has. */
typedef struct fl_ext_host_register {
  size_t struct_size;
  fl_status (*pin)(void* ptr, size_t bytes);
  fl_status (*unpin)(void* ptr);
} fl_ext_host_register;

/* "ipc", 1: share an allocation or an event with another process. Handles are plain bytes. */
typedef struct fl_ext_ipc {
  size_t struct_size;
  size_t handle_bytes;
  fl_status (*memory_export)(int32_t device, void* ptr, void* handle);
  fl_status (*memory_open)(int32_t device, const void* handle, void** ptr);
  fl_status (*memory_close)(int32_t device, void* ptr);
  fl_status (*event_export)(int32_t device, fl_event event, void* handle);
  fl_status (*event_open)(int32_t device, const void* handle, fl_event* event);
} fl_ext_ipc;

/* "capture", 1: record a stream's work into a graph and replay it. */
typedef struct fl_ext_capture {
  size_t struct_size;
  fl_status (*begin)(int32_t device, fl_stream stream);
  fl_status (*end)(int32_t device, fl_stream stream, void** graph);
  fl_status (*is_capturing)(int32_t device, fl_stream stream, int32_t* capturing);
  fl_status (*replay)(int32_t device, void* graph, fl_stream stream);
  fl_status (*destroy)(int32_t device, void* graph);
} fl_ext_capture;

/* "collectives", 1: a communicator over several processes. Counts are elements; `op`: 0 sum, 1 product, 2 min, 3 max,
   4 average. */
typedef struct fl_ext_collectives {
  size_t struct_size;
  size_t unique_id_bytes;
  fl_status (*unique_id)(void* id);
  fl_status (*init)(int32_t device, int32_t rank, int32_t size, const void* id, void** comm);
  fl_status (*destroy)(void* comm);
  fl_status (*all_reduce)(void* comm, const void* src, void* dst, size_t count, fl_dtype dtype, int32_t op,
                          fl_stream stream);
  fl_status (*broadcast)(void* comm, void* data, size_t count, fl_dtype dtype, int32_t root, fl_stream stream);
  fl_status (*all_gather)(void* comm, const void* src, void* dst, size_t count, fl_dtype dtype, fl_stream stream);
  fl_status (*reduce_scatter)(void* comm, const void* src, void* dst, size_t count, fl_dtype dtype, int32_t op,
                              fl_stream stream);
  fl_status (*send)(void* comm, const void* src, size_t count, fl_dtype dtype, int32_t peer, fl_stream stream);
  fl_status (*recv)(void* comm, void* dst, size_t count, fl_dtype dtype, int32_t peer, fl_stream stream);
} fl_ext_collectives;

/* "key_runtime", 1: the vendor's device is also the device of its boxing key, with one memory and one order of streams.
   Core then uses the key's own allocator, streams and generators, so that tensors of both share one pool and one order.
   adopt_stream gives the vendor's handle for a native stream of the key (null is the key's default stream), always the
   same one for the same stream. The key owns the stream: an adopted handle is never given to stream_destroy, and dies
   with the stream. */
typedef struct fl_ext_key_runtime {
  size_t struct_size;
  fl_status (*adopt_stream)(int32_t device, void* native, fl_stream* stream);
} fl_ext_key_runtime;

#ifdef __cplusplus
}
#endif

#endif /* TORCH_FL_VENDOR_H_ */
