; Functions and methods; tests are told by name and parameters

((function_declaration
   name: (identifier) @name
   parameters: (parameter_list
     . (parameter_declaration
         type: (pointer_type (qualified_type package: (package_identifier) @_testing name: (type_identifier) @_t))) .)
   body: (block) @body) @definition.test
 (#match? @name "^(Test|Benchmark|Fuzz)([^a-z]|$)")
 (#eq? @_testing "testing")
 (#any-of? @_t "T" "B" "F" "M"))

((function_declaration
   name: (identifier) @name
   parameters: (parameter_list . ")")
   !result
   body: (block) @body) @definition.test
 (#match? @name "^Example([^a-z]|$)"))

(function_declaration
  name: (identifier) @name
  body: (block) @body) @definition.function

(function_declaration
  name: (identifier) @name) @definition.function

((method_declaration
   receiver: (parameter_list
     (parameter_declaration type: (pointer_type (type_identifier) @owner)))
   name: (field_identifier) @name
   parameters: (parameter_list . ")")
   !result
   body: (block) @body) @definition.test
 (#match? @name "^Test([^a-z]|$)"))

((method_declaration
   receiver: (parameter_list
     (parameter_declaration type: [(type_identifier) @owner (pointer_type (type_identifier) @owner)]))
   name: (field_identifier) @name
   parameters: (parameter_list
     . (parameter_declaration
         type: (pointer_type [
           (type_identifier) @_t
           (qualified_type name: (type_identifier) @_t)
         ])) .)
   !result
   body: (block) @body) @definition.test
 (#match? @name "^(Test|Benchmark)([^a-z]|$)")
 (#any-of? @_t "T" "B" "C"))

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @owner
        (pointer_type (type_identifier) @owner)
        (generic_type type: (type_identifier) @owner)
        (pointer_type (generic_type type: (type_identifier) @owner))
      ]))
  name: (field_identifier) @name
  body: (block) @body) @definition.method

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @owner
        (pointer_type (type_identifier) @owner)
        (generic_type type: (type_identifier) @owner)
        (pointer_type (generic_type type: (type_identifier) @owner))
      ]))
  name: (field_identifier) @name) @definition.method

(method_declaration
  name: (field_identifier) @name
  body: (block) @body) @definition.method

; Types

(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct

(type_spec
  name: (type_identifier) @name
  type: (interface_type "{" @body)) @definition.interface

(type_spec
  name: (type_identifier) @name
  type: (_) @value) @definition.type

(type_alias
  name: (type_identifier) @name
  type: (_) @value) @definition.type

(method_elem
  name: (field_identifier) @name) @definition.method

; Fields: a declaration of one name is the field, of several each name is one

(field_declaration
  . name: (field_identifier) @name
  . type: (_)) @definition.field

(field_declaration
  name: (field_identifier) @name @definition.field
  . ",")

(field_declaration
  ","
  . name: (field_identifier) @name @definition.field)

; Constants and variables of the package, in the same way

((const_spec
   . name: (identifier) @name
   . "="
   value: (_) @value) @definition.constant
 (#not-eq? @name "_")
 (#set! local drop))

((const_spec
   . name: (identifier) @name
   . type: (_)
   value: (_) @value) @definition.constant
 (#not-eq? @name "_")
 (#set! local drop))

((const_spec
   . name: (identifier) @name .) @definition.constant
 (#not-eq? @name "_")
 (#set! local drop))

((const_spec
   name: (identifier) @name @definition.constant
   . ",")
 (#not-eq? @name "_")
 (#set! local drop))

((const_spec
   ","
   . name: (identifier) @name @definition.constant)
 (#not-eq? @name "_")
 (#set! local drop))

((var_spec
   . name: (identifier) @name
   . "="
   value: (expression_list . (func_literal body: (block) @body) .)) @definition.function
 (#not-eq? @name "_")
 (#set! local drop))

((var_spec
   . name: (identifier) @name
   . type: (_)
   value: (expression_list . (func_literal body: (block) @body) .)) @definition.function
 (#not-eq? @name "_")
 (#set! local drop))

((var_spec
   . name: (identifier) @name
   . "="
   value: (_) @value) @definition.variable
 (#not-eq? @name "_")
 (#set! local drop))

((var_spec
   . name: (identifier) @name
   . type: (_)
   value: (_) @value) @definition.variable
 (#not-eq? @name "_")
 (#set! local drop))

((var_spec
   . name: (identifier) @name
   . type: (_) .) @definition.variable
 (#not-eq? @name "_")
 (#set! local drop))

((var_spec
   name: (identifier) @name @definition.variable
   . ",")
 (#not-eq? @name "_")
 (#set! local drop))

((var_spec
   ","
   . name: (identifier) @name @definition.variable)
 (#not-eq? @name "_")
 (#set! local drop))

; Functions that a value of the package holds

((keyed_element
   key: (literal_element (identifier) @name)
   value: (literal_element (func_literal body: (block) @body))) @definition.method
 (#set! local drop))

; Test cases that are calls

((expression_statement
   (call_expression
     function: (selector_expression field: (field_identifier) @_run)
     arguments: (argument_list
       . (_ [(interpreted_string_literal_content) (raw_string_literal_content)] @name)
       . (func_literal
           parameters: (parameter_list
             (parameter_declaration
               type: (pointer_type (qualified_type package: (package_identifier) @_testing))))
           body: (block) @body)))) @definition.test
 (#eq? @_run "Run")
 (#eq? @_testing "testing"))

((call_expression
   function: [(identifier) @_case (selector_expression field: (field_identifier) @_case)]
   arguments: (argument_list
     . (_ [(interpreted_string_literal_content) (raw_string_literal_content)] @name)
     (func_literal body: (block) @body))) @definition.test
 (#any-of? @_case "Describe" "Context" "When" "It" "Specify" "DescribeTable"))

; The package, where it is documented

((package_clause (package_identifier) @name) @definition.module
 (#set! documented only))

; What adds to a definition

(const_declaration . (const_spec) @wrapped .) @wrapper
(var_declaration . (var_spec) @wrapped .) @wrapper
(type_declaration . [(type_spec) (type_alias)] @wrapped .) @wrapper
((const_declaration "(" . (comment)* . (const_spec) @wrapped) @wrapper
 (#set! extent head))
((var_declaration (var_spec_list "(" . (comment)* . (var_spec) @wrapped)) @wrapper
 (#set! extent head))
((type_declaration "(" . (comment)* . [(type_spec) (type_alias)] @wrapped) @wrapper
 (#set! extent head))

(comment) @comment
(func_literal) @scope
