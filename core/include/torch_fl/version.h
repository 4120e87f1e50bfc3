/* The one version number of the project: wheels, CMake and documentation read it from here. */
#ifndef TORCH_FL_VERSION_H_
#define TORCH_FL_VERSION_H_

#define TORCH_FL_VERSION "0.1.0"

/* The torch releases that core supports: >= MIN, < END. Packaging, CMake and `torch-fl doctor` read this pair. */
#define TORCH_FL_TORCH_MIN "2.10"
#define TORCH_FL_TORCH_END "2.14"

#endif /* TORCH_FL_VERSION_H_ */
