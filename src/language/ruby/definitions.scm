; Modules and classes; one without a body ends its head before its end

((module
   name: [(constant) @name (scope_resolution scope: (_)? @owner name: (constant) @name)]
   body: (body_statement) @body) @definition.module
 (#set! section apart))

((module
   name: [(constant) @name (scope_resolution scope: (_)? @owner name: (constant) @name)]
   !body
   "end" @body) @definition.module
 (#set! section apart))

((class
   name: [(constant) @name (scope_resolution scope: (_)? @owner name: (constant) @name)]
   body: (body_statement) @body) @definition.class
 (#set! section apart))

((class
   name: [(constant) @name (scope_resolution scope: (_)? @owner name: (constant) @name)]
   !body
   "end" @body) @definition.class
 (#set! section apart))

; Methods; tests are told by name and base class

((class
   superclass: (superclass (_) @_base)
   body: (body_statement
     (method name: (identifier) @name body: (body_statement) @body) @definition.test))
 (#match? @_base "Test")
 (#match? @name "^test_"))

(program
  (method name: (_) @name body: (_) @body) @definition.function)

(program
  (method name: (_) @name !body "end" @body) @definition.function)

(method name: (_) @name body: (_) @body) @definition.method

(method name: (_) @name !body "end" @body) @definition.method

((program
   (singleton_method
     object: (constant) @owner
     name: (_) @name
     body: (_) @body) @definition.method)
 (#set! section apart))

((program
   (singleton_method
     object: (constant) @owner
     name: (_) @name
     !body
     "end" @body) @definition.method)
 (#set! section apart))

((singleton_method name: (_) @name body: (_) @body) @definition.method
 (#set! section apart))

((singleton_method name: (_) @name !body "end" @body) @definition.method
 (#set! section apart))

((alias
   name: (_) @name) @definition.method
 (#set! section apart))

((call
   !receiver
   method: (identifier) @_define
   arguments: (argument_list
     . [(simple_symbol) @name (string . (string_content) @name .)])
   block: (_)? @body) @definition.method
 (#eq? @_define "define_method"))

((call
   !receiver
   method: (identifier) @_define
   arguments: (argument_list
     . [(simple_symbol) @name (string . (string_content) @name .)])
   block: (_)? @body) @definition.method
 (#any-of? @_define
   "alias_attribute" "alias_method" "define_singleton_method" "let" "let!" "let_it_be" "subject" "subject!")
 (#set! section apart))

((call
   !receiver
   method: (identifier) @_define
   arguments: (argument_list
     . (simple_symbol) @name
     . (lambda body: (_) @body))) @definition.method
 (#eq? @_define "scope")
 (#set! section apart))

; Classes that a constant holds, and their members

((assignment
   left: (constant) @name
   right: (call
     receiver: (constant) @_maker
     method: (identifier) @_make
     block: (_)? @body)) @definition.class
 (#any-of? @_maker "Class" "Data" "Struct")
 (#any-of? @_make "new" "define")
 (#set! section apart))

((call
   receiver: (constant) @_maker
   method: (identifier) @_make
   arguments: (argument_list (simple_symbol) @name @definition.field))
 (#any-of? @_maker "Struct" "Data")
 (#any-of? @_make "new" "define")
 (#set! section apart))

; Constants and variables

((assignment
   left: [(constant) @name (scope_resolution scope: (_)? @owner name: (constant) @name)]
   right: (_) @value) @definition.constant
 (#set! section apart))

((operator_assignment
   left: [(constant) @name (scope_resolution scope: (_)? @owner name: (constant) @name)]
   right: (_) @value) @definition.constant
 (#set! section apart))

((assignment
   left: (left_assignment_list (constant) @name @definition.constant))
 (#set! section apart))

((assignment
   left: (global_variable) @name
   right: (_) @value) @definition.variable
 (#set! local drop))

((assignment
   left: (class_variable) @name
   right: (_) @value) @definition.field
 (#set! local drop)
 (#set! section apart))

; Attributes: a call with one name is the field, of several each name is one

((call
   !receiver
   method: (identifier) @_attribute
   arguments: (argument_list . (simple_symbol) @name .)) @definition.field
 (#any-of? @_attribute
   "attr" "attr_reader" "attr_writer" "attr_accessor" "attr_internal" "class_attribute" "cattr_accessor"
   "cattr_reader" "cattr_writer" "mattr_accessor" "mattr_reader" "mattr_writer" "config_accessor"))

((call
   !receiver
   method: (identifier) @_attribute
   arguments: (argument_list (simple_symbol) @name @definition.field . ","))
 (#any-of? @_attribute
   "attr" "attr_reader" "attr_writer" "attr_accessor" "attr_internal" "class_attribute" "cattr_accessor"
   "cattr_reader" "cattr_writer" "mattr_accessor" "mattr_reader" "mattr_writer" "config_accessor"))

((call
   !receiver
   method: (identifier) @_attribute
   arguments: (argument_list "," . (simple_symbol) @name @definition.field))
 (#any-of? @_attribute
   "attr" "attr_reader" "attr_writer" "attr_accessor" "attr_internal" "class_attribute" "cattr_accessor"
   "cattr_reader" "cattr_writer" "mattr_accessor" "mattr_reader" "mattr_writer" "config_accessor"))

((call
   !receiver
   method: (identifier) @_attribute
   arguments: (argument_list . (simple_symbol) @name)
   block: (_)? @body) @definition.field
 (#any-of? @_attribute
   "attribute" "belongs_to" "field" "has_and_belongs_to_many" "has_many" "has_many_attached" "has_one"
   "has_one_attached" "property")
 (#set! section apart))

((call
   !receiver
   method: (identifier) @_delegate
   arguments: (argument_list
     (simple_symbol) @name @definition.field
     (pair key: (hash_key_symbol) @_to)))
 (#eq? @_delegate "delegate")
 (#eq? @_to "to")
 (#set! section apart))

; Test cases

((call
   method: (identifier) @_case
   arguments: (argument_list
     . [(string . (string_content) @name) (constant) @name (scope_resolution) @name])
   block: (_) @body) @definition.test
 (#any-of? @_case
   "context" "describe" "example" "example_group" "fdescribe" "feature" "fit" "it" "scenario" "shared_context"
   "shared_examples" "shared_examples_for" "should" "specify" "test" "xdescribe" "xit")
 (#set! section apart))

; Tasks

((call
   !receiver
   method: (identifier) @_task
   arguments: (argument_list
     . [
       (simple_symbol) @name
       (string . (string_content) @name .)
       (pair key: [(simple_symbol) (hash_key_symbol)] @name)
       (pair key: (string . (string_content) @name .))
     ])
   block: (_)? @body) @definition.function
 (#any-of? @_task "lane" "multitask" "private_lane" "task")
 (#set! section apart))

((call
   !receiver
   method: (identifier) @_space
   arguments: (argument_list
     . [(simple_symbol) @name (string . (string_content) @name .)])
   block: (_) @body) @definition.module
 (#eq? @_space "namespace")
 (#set! section apart))

; Blocks that a file is made of and that name what they describe

(program
  (call
    arguments: (argument_list . (simple_symbol) @name)
    block: (do_block) @body) @definition.function)

(program
  (call
    !receiver
    arguments: (argument_list . (string . (string_content) @name .))
    block: (do_block) @body) @definition.function)

; A visibility alone counts for the methods and attributes after it, in its own body

([
   (module body: (body_statement (identifier) @section))
   (class body: (body_statement (identifier) @section))
   (singleton_class body: (body_statement (identifier) @section))
   (do_block body: (body_statement (identifier) @section))
 ]
 (#any-of? @section "private" "protected" "public"))
[(singleton_class) (do_block)] @stretch

; What adds to a definition; the text of a heredoc stands behind the line that names it

((assignment) @wrapped . (comment)? . (heredoc_body) @wrapper)
((operator_assignment) @wrapped . (comment)? . (heredoc_body) @wrapper)
((heredoc_body) @wrapped . (heredoc_body) @wrapper)

(call
  !receiver
  method: (identifier)
  arguments: (argument_list . [(method) (singleton_method)] @wrapped .)) @wrapper
((call
   !receiver
   method: (identifier) @visibility
   arguments: (argument_list . [(method) (singleton_method) (call)] @wrapped .)) @wrapper
 (#any-of? @visibility "private" "protected" "public" "private_class_method" "public_class_method"))
((call
   !receiver
   arguments: (argument_list . (simple_symbol) @wrapped . ",")) @wrapper
 (#set! extent head))

((call
   !receiver
   method: (identifier) @_leads) @attribute
 (#any-of? @_leads "desc" "sig" "long_desc" "method_option"))

; Comments, but for those that speak to the interpreter

((comment) @comment
 (#not-match? @comment "^#(!|\\s*(-\\*-\\s*)?(en)?coding:|\\s*(frozen[_-]string[_-]literal|warn[_-]indent|typed):)"))
(lambda) @scope
