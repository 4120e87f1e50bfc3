// The lanes that run PyTorch's own kernels of another key: boxing over the same memory, none over host copies.
#include <ATen/core/List.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/TensorOptions.h>

#include <cstdlib>
#include <utility>

#include "dispatch/host_random.h"
#include "dispatch/key_call.h"
#include "dispatch/lanes.h"
#include "runtime/generator.h"

namespace torch_fl {

constinit BoxingKey boxing_key;

namespace {

// The boxing key's generator behind one of the device's.
at::Generator shared_generator(const at::Generator& generator) {
  if (!generator.defined() || generator.device().type() != kFlagos) return generator;
  return generator.get<PhiloxGenerator>()->shared();
}

void run_on_key(OpEntry& entry, Stack* stack, c10::DeviceType type, bool mirror);

// The first argument is integral: computed in float64, the result (and out=) in its dtype.
void run_as_double(OpEntry& entry, Stack* stack, c10::DeviceType type, bool mirror) {
  const size_t base = stack->size() - entry.args.size();
  const at::Tensor self = (*stack)[base].toTensor();
  (*stack)[base] = self.to(at::kDouble);
  at::Tensor out;
  if (entry.args.back().is_out) {
    out = std::exchange(stack->back(), c10::IValue(at::empty({0}, self.options().dtype(at::kDouble)))).toTensor();
    TORCH_CHECK(out.scalar_type() == self.scalar_type(), entry.name, ": the input has dtype ", self.scalar_type(),
                " and out= ", out.scalar_type(), "; they have to be the same");
  }
  run_on_key(entry, stack, type, mirror);
  const at::Tensor result = stack->back().toTensor();
  if (out.defined()) {
    at::native::resize_output(out, result.sizes());
    stack->back() = out.copy_(result);
  } else {
    stack->back() = result.to(self.scalar_type());
  }
}

void run_on_key(OpEntry& entry, Stack* stack, c10::DeviceType type, bool mirror) {
  const size_t count = entry.args.size(), base = stack->size() - count;
  if (C10_UNLIKELY(entry.host_as_double && type == c10::DeviceType::CPU) && (*stack)[base].isTensor() &&
      c10::isIntegralType((*stack)[base].toTensor().scalar_type(), /*includeBool=*/false))
    return run_as_double(entry, stack, type, mirror);
  c10::ArrayRef<c10::IValue> args(stack->data() + base, count);
  const int32_t device = device_of_call(args);
  check_devices(entry, args);
  KeyCall call(entry, type, mirror, device);
  if (C10_UNLIKELY(entry.functionality != c10::DispatchKey::Dense))
    for (const c10::IValue& v : args)
      each_tensor(v, [&](const at::Tensor& t) {
        if (t.requires_grad()) call.want_gradients();
      });
  if (mirror) {
    for (size_t i = 0; i < count; i++)
      each_tensor(args[i], [&](const at::Tensor& t) {
        call.survey(t, entry.args[i].is_out || (entry.args[i].written && is_composed(t)));
      });
    call.download();
  }
  const bool host_memory = type == c10::DeviceType::CPU && !mirror;
  {
    OpenMemory open(host_memory, device);
    for (size_t i = 0; i < count; i++) {
      c10::IValue& v = (*stack)[base + i];
      const ArgInfo& info = entry.args[i];
      if (v.isDevice()) {
        if (v.toDevice().type() == kFlagos) v = c10::IValue(host_or(type, v.toDevice().index()));
      } else if (info.kind == ArgKind::generator && type == c10::DeviceType::CPU && entry.random) {
        v = c10::IValue(
            host_generator(v.isGenerator() ? std::optional<at::Generator>(v.toGenerator()) : std::nullopt, device));
      } else if (C10_UNLIKELY(v.isGenerator()) && !mirror) {
        v = shared_generator(v.toGenerator());
      } else {
        v = call.in(std::move(v), info.written);
      }
    }
    const bool lend = entry.random && entry.generator_arg < 0 && type == c10::DeviceType::CPU;
    LentDefaultGenerator lent(lend, device);
    const c10::DispatchKeySet keys(key_on(entry.functionality, type));
    const c10::OperatorHandle& op = entry.stand_in.has_value() ? *entry.stand_in : entry.handle;
    if (entry.adapt != nullptr) entry.adapt(stack);
    if (host_memory) {
      HostAllocationsOnDevice redirect(device);
      op.redispatchBoxed(keys, stack);
    } else {
      op.redispatchBoxed(keys, stack);
    }
  }
  if (entry.any_written) call.finish();
  const size_t results = stack->size() - static_cast<size_t>(entry.returns);
  for (size_t i = results; i < stack->size(); i++) {
    c10::IValue& v = (*stack)[i];
    if (v.isTensor()) {
      v = c10::IValue(call.out(std::move(v).toTensor()));
    } else if (v.isTensorList()) {
      std::vector<at::Tensor> list = std::move(v).toTensorVector();
      for (at::Tensor& t : list) t = call.out(std::move(t));
      v = c10::IValue(std::move(list));
    }
  }
  call.give_back_all();
}

}  // namespace

namespace {

void check_generator(const OpEntry& entry, const at::Generator& generator, int32_t device) {
  if (!generator.defined()) return;
  const c10::Device found = generator.device();
  TORCH_CHECK(found.type() == kFlagos && (found.index() < 0 || found.index() == device), "Expected a 'flagos:", device,
              "' generator device but found '", found, "' for ", entry.name);
}

}  // namespace

int32_t device_of_call(c10::ArrayRef<c10::IValue> args) {
  int32_t named = -1;
  for (const c10::IValue& v : args) {
    int32_t found = -1;
    each_tensor(v, [&](const at::Tensor& t) {
      if (found < 0 && t.device().type() == kFlagos) found = t.device().index();
    });
    if (found >= 0) return found;
    if (v.isDevice() && v.toDevice().type() == kFlagos && v.toDevice().has_index()) named = v.toDevice().index();
  }
  return named >= 0 ? named : current_device();
}

void check_devices(const OpEntry& entry, c10::ArrayRef<c10::IValue> args) {
  std::optional<c10::Device> first;
  for (size_t i = 0; i < args.size(); i++) {
    if (C10_UNLIKELY(args[i].isGenerator())) check_generator(entry, args[i].toGenerator(), device_of_call(args));
    each_tensor(args[i], [&](const at::Tensor& t) {
      if (t.device().type() == kFlagos) {
        if (!first.has_value()) first = t.device();
      } else if ((t.dim() == 0 && !entry.args[i].is_out && !entry.args[i].written) || entry.args[i].host_allowed) {
        return;
      }
      if (!first.has_value()) first = t.device();
      TORCH_CHECK(t.device() == *first,
                  "Expected all tensors to be on the same device, but found at least two devices, ", *first, " and ",
                  t.device(), "! (when checking argument ", entry.args[i].name, " of ", entry.name, ")");
    });
  }
  // A generator of the device among host tensors alone brings the call here too.
  if (C10_UNLIKELY(entry.generator_arg >= 0 && first.has_value() && first->type() != kFlagos))
    TORCH_CHECK(!args[entry.generator_arg].isGenerator() || args[entry.generator_arg].toGenerator().device() == *first,
                "Expected a '", *first, "' generator device but found '",
                args[entry.generator_arg].toGenerator().device(), "' for ", entry.name);
}

void run_boxing(OpEntry& entry, Stack* stack) { run_on_key(entry, stack, *vendor().facts.boxing, false); }

bool plain_fallback() {
  static const bool plain = std::getenv("FLAGOS_PLAIN_FALLBACK") != nullptr;
  return plain;
}

void run_none(OpEntry& entry, Stack* stack) {
  if (C10_UNLIKELY(plain_fallback() && !entry.stand_in.has_value()))
    at::native::cpu_fallback(entry.handle, stack);
  else
    run_on_key(entry, stack, c10::DeviceType::CPU, true);
}

}  // namespace torch_fl
