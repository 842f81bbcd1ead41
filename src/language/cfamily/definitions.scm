; What C and C++ define alike

; Macros

(preproc_function_def
  name: (identifier) @name
  value: (preproc_arg) @body) @definition.macro

(preproc_function_def
  name: (identifier) @name) @definition.macro

(preproc_def
  name: (identifier) @name
  value: (preproc_arg) @value) @definition.macro

(preproc_def
  name: (identifier) @name) @definition.macro

; The name of an include guard defines nothing

((preproc_ifdef
  "#ifndef"
  name: (identifier) @_guard
  . (preproc_def
      name: (identifier) @_name
      !value) @ignore)
 (#eq? @_guard @_name))

((preproc_if
  condition: (unary_expression (preproc_defined (identifier) @_guard))
  . (preproc_def
      name: (identifier) @_name
      !value) @ignore)
 (#eq? @_guard @_name))

; Functions: in a type, and with a path for a name, they are methods

((function_definition
   declarator: (_) @name
   body: (_) @body) @definition.function
 (#set! narrow declarator))

; Types that a typedef names: the first name is the type's, a tag and further
; names stand inside

((type_definition
   type: (struct_specifier body: (_) @body)
   . declarator: (_) @name) @definition.struct
 (#set! narrow declarator))

((type_definition
   type: (union_specifier body: (_) @body)
   . declarator: (_) @name) @definition.union
 (#set! narrow declarator))

((type_definition
   type: (enum_specifier body: (_) @body)
   . declarator: (_) @name) @definition.enum
 (#set! narrow declarator))

(type_definition
  type: (_ body: (_)) @ignore)

((type_definition
   type: (struct_specifier
     name: (_) @name @definition.struct
     body: (_))
   . declarator: (_) @_type)
 (#not-eq? @name @_type))

((type_definition
   type: (union_specifier
     name: (_) @name @definition.union
     body: (_))
   . declarator: (_) @_type)
 (#not-eq? @name @_type))

((type_definition
   type: (enum_specifier
     name: (_) @name @definition.enum
     body: (_))
   . declarator: (_) @_type)
 (#not-eq? @name @_type))

((type_definition
   declarator: (_)
   . declarator: (_) @name @definition.type)
 (#set! narrow declarator))

; Other typedefs

((type_definition
   declarator: (_) @name) @definition.type
 (#set! narrow declarator))

; Types

((struct_specifier
   name: (_) @name
   body: (_) @body) @definition.struct
 (#set! narrow path))

((union_specifier
   name: (_) @name
   body: (_) @body) @definition.union
 (#set! narrow path))

((enum_specifier
   name: (_) @name
   body: (_) @body) @definition.enum
 (#set! narrow path))

; Enumerators: the pack's rules make them fields inside a named enumeration

((enumerator
   name: (_) @name
   value: (_) @value) @definition.constant
 (#set! local drop))

((enumerator
   name: (_) @name) @definition.constant
 (#set! local drop))

; Fields, one for each declarator; what takes parameters is a method

(field_declaration
  declarator: (_)
  declarator: (_)) @ignore

((field_declaration
   declarator: (_) @name @definition.field
   declarator: (_))
 (#set! narrow declarator)
 (#set! called method))

((field_declaration
   declarator: (_)
   declarator: (_) @name @definition.field)
 (#set! narrow declarator)
 (#set! called method))

((field_declaration
   declarator: (_) @name) @definition.field
 (#set! narrow declarator)
 (#set! called method))

; Variables and prototypes, one for each declarator

(declaration
  declarator: (_)
  . declarator: (_)) @ignore

((declaration
   declarator: (_) @name @definition.variable
   . declarator: (_))
 (#set! narrow declarator)
 (#set! called function)
 (#set! local drop))

((declaration
   declarator: (_)
   . declarator: (_) @name @definition.variable)
 (#set! narrow declarator)
 (#set! called function)
 (#set! local drop))

((declaration
   (type_qualifier) @_const
   declarator: (init_declarator value: (_) @value) @name) @definition.constant
 (#any-of? @_const "const" "constexpr" "constinit")
 (#set! narrow declarator)
 (#set! local drop))

((declaration
   declarator: (init_declarator value: (_) @value) @name) @definition.variable
 (#set! narrow declarator)
 (#set! called function)
 (#set! local drop))

((declaration
   declarator: (_) @name) @definition.variable
 (#set! narrow declarator)
 (#set! called function)
 (#set! local drop))

; Test cases that a macro makes: a call, which needs no semicolon, and a body

((expression_statement
  (call_expression
    function: (identifier) @_test
    arguments: (argument_list . (identifier) @part.suite . (identifier) @name .))) @wrapper
 . (compound_statement) @wrapped @body @definition.test
 (#match? @_test "^([A-Z0-9]+_)*TEST(_[A-Z0-9]+)*$")
 (#set! title "{suite}.{name}"))

((expression_statement
  (call_expression
    function: (identifier) @_test
    arguments: (argument_list
      . [
        (string_literal (string_content) @name)
        (concatenated_string . (string_literal (string_content) @name))
        (identifier) @name
      ]))) @wrapper
 . (compound_statement) @wrapped @body @definition.test
 (#match? @_test "^([A-Z0-9]+_)*(TEST|SCENARIO|BENCHMARK|SECTION|SUBCASE|GIVEN|WHEN|THEN)(_[A-Z0-9]+)*$"))

; Outside functions such a call makes a function, named by the first argument

(translation_unit
  (expression_statement
    (call_expression
      function: (identifier)
      arguments: (argument_list
        . [
          (string_literal (string_content) @name)
          (identifier) @name
        ]))) @wrapper
  . (compound_statement) @wrapped @body @definition.function)

(declaration_list
  (expression_statement
    (call_expression
      function: (identifier)
      arguments: (argument_list
        . [
          (string_literal (string_content) @name)
          (identifier) @name
        ]))) @wrapper
  . (compound_statement) @wrapped @body @definition.function)

(preproc_ifdef
  (expression_statement
    (call_expression
      function: (identifier)
      arguments: (argument_list
        . [
          (string_literal (string_content) @name)
          (identifier) @name
        ]))) @wrapper
  . (compound_statement) @wrapped @body @definition.function)

(preproc_if
  (expression_statement
    (call_expression
      function: (identifier)
      arguments: (argument_list
        . [
          (string_literal (string_content) @name)
          (identifier) @name
        ]))) @wrapper
  . (compound_statement) @wrapped @body @definition.function)

(preproc_else
  (expression_statement
    (call_expression
      function: (identifier)
      arguments: (argument_list
        . [
          (string_literal (string_content) @name)
          (identifier) @name
        ]))) @wrapper
  . (compound_statement) @wrapped @body @definition.function)

; What belongs to the definition around or after it

((preproc_ifdef
   "#ifndef"
   name: (identifier) @_guard
   . [
     (preproc_def name: (identifier) @_name)
     (preproc_function_def name: (identifier) @_name)
   ] @wrapped .) @wrapper
 (#eq? @_guard @_name)
 (#set! extent head))
((preproc_if
   condition: (unary_expression (preproc_defined (identifier) @_guard))
   . [
     (preproc_def name: (identifier) @_name)
     (preproc_function_def name: (identifier) @_name)
   ] @wrapped .) @wrapper
 (#eq? @_guard @_name)
 (#set! extent head))

(linkage_specification
  body: [(declaration) (function_definition)] @wrapped) @wrapper

((translation_unit (function_definition . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))
((translation_unit (declaration . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))
((declaration_list (function_definition . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))
((declaration_list (declaration . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))
((preproc_ifdef (function_definition . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))
((preproc_ifdef (declaration . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))
((preproc_if (function_definition . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))
((preproc_if (declaration . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))
((preproc_else (function_definition . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))
((preproc_else (declaration . (storage_class_specifier) @visibility))
 (#eq? @visibility "static"))

(attribute_declaration) @attribute
(attribute_specifier) @attribute
(comment) @comment
(compound_statement) @scope
