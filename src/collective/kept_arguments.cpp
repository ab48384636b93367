// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/kept_arguments.hpp"

namespace starling::collective {

KeptArguments::KeptArguments(const Arguments& arguments, Form form)
    : arguments_(arguments), comm_(Ref<comm::Communicator>::share(arguments.comm)) {
  if (arguments.form != Form::kInternal) arguments_.form = form;
  if (arguments.op) op_ = Ref<const datatype::Op>::share(arguments.op);
  keep(arguments.send_type);
  keep(arguments.receive_type);
  keep_all(arguments_.send_types, blocks_sent(arguments), send_types_);
  keep_all(arguments_.receive_types, blocks_received(arguments), receive_types_);
}

void KeptArguments::keep(const datatype::Datatype* type) {
  if (type && !type->is_predefined()) kept_types_.push_back(Ref<const datatype::Datatype>::share(type));
}

void KeptArguments::keep_all(const datatype::Datatype* const*& types, std::int32_t count, Types& copy) {
  if (!types) return;
  copy.assign(types, types + count);
  for (const datatype::Datatype* type : copy) keep(type);
  types = copy.data();
}

}  // namespace starling::collective
