; Attributes

((attribute
  (identifier) @_derive
  arguments: (token_tree (identifier) @reference.annotation))
  (#eq? @_derive "derive"))
(attribute (identifier) @reference.annotation)
(attribute
  (scoped_identifier path: (_) @receiver name: (identifier) @reference.annotation))

; Traits

(impl_item
  trait: (type_identifier) @reference.implement)
(impl_item
  trait: (generic_type type: (type_identifier) @reference.implement))
(impl_item
  trait: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @reference.implement))
(impl_item
  trait: (generic_type
    type: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @reference.implement)))
(trait_item
  bounds: (trait_bounds (type_identifier) @reference.inherit))
(trait_item
  bounds: (trait_bounds (generic_type type: (type_identifier) @reference.inherit)))
(trait_item
  bounds: (trait_bounds
    (scoped_type_identifier path: (_) @receiver name: (type_identifier) @reference.inherit)))

; Calls

(call_expression
  function: (identifier) @reference.call)
(call_expression
  function: (scoped_identifier path: (_) @receiver name: (identifier) @reference.call))
(call_expression
  function: (field_expression value: (_) @receiver field: (field_identifier) @reference.call))
(generic_function
  function: (identifier) @reference.call)
(generic_function
  function: (scoped_identifier path: (_) @receiver name: (identifier) @reference.call))
(generic_function
  function: (field_expression value: (_) @receiver field: (field_identifier) @reference.call))
(macro_invocation
  macro: (identifier) @reference.call)
(macro_invocation
  macro: (scoped_identifier path: (_) @receiver name: (identifier) @reference.call))
(token_tree (identifier) @reference.call
  (#set! before "(")
  (#set! outside attribute))

; Types

(type_parameter name: (type_identifier) @ignore)
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @reference.type)
(type_identifier) @reference.type
(scoped_identifier path: (identifier) @reference.type
  (#set! case upper))

; Writes of fields

(assignment_expression
  left: (field_expression value: (_) @receiver field: (field_identifier) @reference.write))
(compound_assignment_expr
  left: (field_expression value: (_) @receiver field: (field_identifier) @reference.write))
