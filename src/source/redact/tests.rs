//! Recall on every form, silence on ordinary code, and the promises on any text.

use super::kinds::SHAPES;
use super::samples::{ALNUM, HEX, Sample, UPPER, begin, body, end, samples};
use super::shape::{Edges, Part, Shape};
use super::{KINDS, redact};
use proptest::prelude::*;

fn check(input: &str, expect: &str) {
    let out = redact(input.to_owned());
    assert_eq!(out.text, expect, "from {input:?}");
    assert_eq!(redact(out.text.clone()).text, out.text, "again, from {input:?}");
}

fn check_left(input: &str) {
    check(input, input);
}

/// `@` in a form stands for the value, which no form may leave in the text.
fn check_forms(value: &str, forms: &[&str]) {
    for form in forms {
        check(&form.replace('@', value), &form.replace('@', "[REDACTED:SECRET]"));
    }
}

/// What `docs/secrets.md` says is left alone: values that only an expression ties to a name.
#[test]
fn values_tied_to_a_key_by_an_expression_are_left() {
    for form in [
        "strcpy(password, \"@\");\n",
        "setattr(o, \"password\", \"@\")\n",
        "password: str = Field(default=\"@\")\n",
        "req.SetBasicAuth(\"bob\", \"@\")\n",
        "DriverManager.getConnection(url, \"bob\", \"@\");\n",
        "password = a ? \"@\" : b\n",
        "password = x.unwrap_or(\"@\".into());\n",
        "ENV.fetch(\"PASSWORD\") { \"@\" }\n",
        "const [password, setPassword] = useState(\"@\");\n",
        "variable \"password\" {\n  default = \"@\"\n}\n",
        "mysql -u root -p@\n",
        "sshpass -p @ ssh host\n",
        "ConvertTo-SecureString \"@\" -AsPlainText\n",
        "if password == \"@\":\n",
        "if password != '@':\n",
        "PASSWORD=$(cat <<EOF\n@\nEOF\n)\n",
        "password = <<~EOS\n  @\nEOS\n",
    ] {
        check_left(&form.replace('@', concat!("hunter2", "lamp")));
    }
    check_forms(concat!("hunter2", "lamp"), &["<input type=\"password\" value=\"@\">\n"]);
}

#[test]
fn published_shapes() {
    let samples = samples();
    for sample in &samples {
        for (before, after) in [("", ""), ("x = f(\"", "\")"), ("# ", " is it\n"), ("<a>", "</a>"), ("KEY=", "\n")] {
            check(&[before, &sample.text(), after].concat(), &[before, &sample.redacted(), after].concat());
        }
        assert_eq!(redact(sample.text()).counts.into_iter().collect::<Vec<_>>(), [(sample.kind, 1)]);
    }
    for kind in KINDS {
        let tested = samples.iter().any(|sample| sample.kind == kind.label) || kind.label == "SECRET";
        assert!(tested, "{} has no sample", kind.label);
    }
}

/// The shortest token of a shape, with one of its runs shorter by so much.
fn token_of(shape: &Shape, short: Option<usize>) -> String {
    let part = |index: usize, part: &Part| match *part {
        Part::Lit(literal) => literal.to_owned(),
        Part::Run(class, least, _) | Part::Random(class, least, _) => {
            body(class.letters(), least - usize::from(short == Some(index)))
        }
        Part::Opt(..) | Part::Pad(_) => String::new(),
    };
    let mut token: Vec<String> = shape.before.iter().enumerate().map(|(index, piece)| part(index, piece)).collect();
    token.reverse();
    token.push(shape.anchor.to_owned());
    let after = shape.after.iter().enumerate();
    token.extend(after.map(|(index, piece)| part(shape.before.len() + index, piece)));
    token.concat()
}

fn runs_of(shape: &Shape) -> Vec<(usize, usize, usize)> {
    let parts = shape.before.iter().chain(shape.after).enumerate();
    parts
        .filter_map(|(index, part)| match *part {
            Part::Run(_, least, most) | Part::Random(_, least, most) => Some((index, least, most)),
            _ => None,
        })
        .collect()
}

/// Whether the marker of a kind is in a text after redaction.
fn finds(text: &str, kind: &str) -> bool {
    redact(text.to_owned()).counts.contains_key(kind)
}

#[test]
fn a_near_miss_of_every_shape_stays() {
    for shape in SHAPES {
        let whole = format!("f(\"{}\")", token_of(shape, None));
        assert!(finds(&whole, shape.kind), "{}: {whole}", shape.kind);
        for (index, least, most) in runs_of(shape) {
            let optional = least == 1;
            let short = format!("f(\"{}\")", token_of(shape, Some(index)));
            assert!(optional || !finds(&short, shape.kind), "{}: a run is short in {short}", shape.kind);
            let last = index + 1 == shape.before.len() + shape.after.len();
            if last && least == most && shape.edges != Edges::Free && shape.edges != Edges::Left {
                let long = format!("f(\"{}0\")", token_of(shape, None));
                assert!(!finds(&long, shape.kind), "{}: {long} is too long", shape.kind);
            }
        }
        if shape.edges != Edges::Free {
            let glued = format!("f(\"x{}\")", token_of(shape, None));
            assert!(!finds(&glued, shape.kind), "{}: {glued} begins inside a word", shape.kind);
        }
        if let [Part::Run(class, least, _)] = shape.after {
            check_left(&format!("{}{}", shape.anchor, class.letters()[..1].repeat(*least)));
        }
    }
}

/// Where a value stands in files of many sorts; `K` is its key, `@` the value.
const CARRIERS: &[(&str, &str)] = &[
    ("alone", "@"),
    ("a last line", "a\n@"),
    ("line ends of two bytes", "a\r\nK = \"@\"\r\nb\r\n"),
    ("line ends of a carriage return", "a\rK = @\rb\r"),
    ("a string between carriage returns", "a\rK = \"@\"\rb\r"),
    ("a line comment", "f(x); // K = \"@\"\n"),
    ("a comment of a script", "# K: @\n"),
    ("a comment block", "/*\n * K = '@'\n */\n"),
    ("a comment of markup", "<!-- K=\"@\" -->\n"),
    ("a query", "see https://h.example.com/p?K=@&x=1\n"),
    ("yaml", "a:\n  K: @\n  b: c\n"),
    ("yaml in quotes", "a:\n  - K: \"@\"\n  - K: '@'\n"),
    ("a yaml block", "a:\n  K: |\n    @\n  b: c\n"),
    ("a yaml list", "env:\n  - K=@\n"),
    ("json", "{\n  \"K\": \"@\",\n  \"b\": 1\n}\n"),
    ("json on one line", "{\"a\":{\"K\":\"@\"},\"b\":[]}"),
    ("json in a string", "\"{\\\"K\\\": \\\"@\\\"}\""),
    ("toml", "[a]\nK = \"@\"\nb = 'c'\n"),
    ("dotenv", "A=b\nK=@\nC=\"d\"\n"),
    ("dotenv in quotes", "K=\"@\"\nK='@'\n"),
    ("shell", "set -e\nexport K=\"@\"\n"),
    ("shell without quotes", "export K=@\n"),
    ("a command line", "run --K=@ --fast\n"),
    ("sql", "INSERT INTO t (K) VALUES (1); SET K = '@';\n"),
    ("a dockerfile", "FROM x\nENV K=@\nRUN y\n"),
    ("an old dockerfile", "ENV K @\n"),
    ("a build argument", "ARG K=@\n"),
    ("ini", "[a]\nK=@\n; b\n"),
    ("ini with blanks", "[a]\nK = @\n"),
    ("properties", "a.K=@\nb.c=d\n"),
    ("xml", "<a>\n  <K>@</K>\n</a>\n"),
    ("markdown", "Use `K=@` here.\n"),
    ("a fenced block", "```sh\nexport K=@\n```\n"),
];

/// Not every value can stand everywhere: blanks end a bare one, a second colon a yaml one.
fn fits(sample: &Sample, carrier: &str) -> bool {
    let text = sample.text();
    match carrier {
        "json in a string" => !text.contains('\\'),
        _ => true,
    }
}

#[test]
fn every_kind_in_every_carrier() {
    let mut wrong = Vec::new();
    let mut see = |name: &str, kind: &str, input: String, expect: String| {
        let out = redact(input.clone());
        if out.text != expect || redact(out.text.clone()).text != out.text {
            wrong.push(format!("{kind} in {name}: {input:?}\n  gives {:?}", out.text));
        }
    };
    for (name, carrier) in CARRIERS {
        for sample in samples().iter().filter(|sample| fits(sample, name)) {
            let put = |value: &str| carrier.replace('K', "note").replace('@', value);
            see(name, sample.kind, put(&sample.text()), put(&sample.redacted()));
        }
        if !carrier.contains('K') {
            continue;
        }
        for value in [concat!("hunter2", "lamp"), &body(ALNUM, 40), &body(HEX, 32)] {
            let key = if carrier.contains("ENV") || carrier.contains("export") { "DB_PASSWORD" } else { "db_password" };
            let put = |value: &str| carrier.replace('K', key).replace('@', value);
            see(name, "SECRET", put(value), put("[REDACTED:SECRET]"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn connection_strings_keep_their_shape() {
    let key = format!("{}==", body(ALNUM, 86));
    check(
        &format!("\"AccountName=x;AccountKey={key};EndpointSuffix=core\""),
        "\"AccountName=x;AccountKey=[REDACTED:AZURE_KEY];EndpointSuffix=core\"",
    );
    check_forms(
        concat!("hunter2", "lamp"),
        &["\"Server=db;User Id=app;Password=@;Encrypt=true\"", "\"Password=@;Server=db\"", "\"Host=h; Pwd=@\""],
    );
}

#[test]
fn every_syntax_of_an_assignment() {
    check_forms(
        concat!("hunter2", "lamp"),
        &[
            "password = \"@\"",
            "password = '@'",
            "password = `@`",
            "password=\"@\"",
            "password: \"@\",",
            "\"password\": \"@\"",
            "'password': '@',",
            ":password => \"@\"",
            "'password' => '@',",
            "password := \"@\"",
            "password: str = \"@\"",
            "password: &'static str = \"@\";",
            "const DB_PASSWORD: &str = \"@\";",
            "const dbPassword string = \"@\"",
            "var password string = \"@\"",
            "char password[] = \"@\";",
            "char password[64] = \"@\";",
            "String dbPassword = \"@\";",
            "#define DB_PASSWORD \"@\"",
            "DB_PASSWORD=@\n",
            "export DB_PASSWORD=@\n",
            "export DB_PASSWORD='@'\n",
            "ENV DB_PASSWORD @\n",
            "ENV DB_PASSWORD=@\n",
            "ARG DB_PASSWORD=@\n",
            "password: @\n",
            "  db_password: @ # dev\n",
            "password = @\n",
            "spring.datasource.password=@\n",
            "- DB_PASSWORD=@\n",
            "- \"DB_PASSWORD=@\"\n",
            "PASSWORD '@'",
            "CREATE USER app IDENTIFIED BY '@';",
            "<password>@</password>",
            "<add key=\"DbPassword\" value=\"@\" />",
            "- name: DB_PASSWORD\n  value: \"@\"\n",
            "{\"name\": \"DB_PASSWORD\", \"value\": \"@\"}",
            "os.environ[\"DB_PASSWORD\"] = \"@\"",
            "$config['db_password'] = '@';",
            "$password = '@';",
            "this.password = '@';",
            "@{password = \"@\"}".trim_start_matches('@'),
            "define('DB_PASSWORD', '@');",
            "os.getenv(\"DB_PASSWORD\", \"@\")",
            "process.env.DB_PASSWORD || '@'",
            "process.env.DB_PASSWORD ?? '@'",
            "os.environ.get('DB_PASSWORD') or '@'",
            "ENV['DB_PASSWORD'] ||= '@'",
            "client.password(\"@\")",
            "builder.set_password(\"@\")",
            "let password = String::from(\"@\");",
            "password: Some(\"@\".to_string()),",
            "password = SecretString::new(\"@\")",
            "password =\n    \"@\"\n",
            "password = (\n    \"@\"\n)",
            "mysql --password=@ db",
            "tool --db-password @ run",
            "\"{\\\"password\\\": \\\"@\\\"}\"",
            "docker run -e DB_PASSWORD=@ image",
            "DB_PASSWORD=@ ./run --fast",
            "f(user='x', password='@', host='h')",
            "password = r\"@\"",
            "password = b'@'",
            "https://h/p?password=@&x=1",
            "password?: string = '@'",
            "  \"password\" : \"@\"",
            "[\"password\"] = \"@\"",
            "password \"@\"",
            "{password, \"@\"}".replace("{password,", "{\"password\",").as_str(),
            "password=@,host=h\n",
            "host=h,password=@,port=1\n",
            "password=@,db_password=@\n",
        ],
    );
}

/// What may stand before a setting on its line, and what may close it.
#[test]
fn settings_in_comments_and_markup() {
    check_forms(
        concat!("Kx82mQpL", "47vNzR1t"),
        &[
            "/* password: @ */",
            "/* password = @ */",
            "/* password:@*/",
            "/* PASSWORD=@*/",
            "/** password: @ **/",
            "/*\n * password: @\n */",
            " * password: @",
            " * api_key: @",
            " * db.password: @ */",
            "/// password: @",
            "//! password: @",
            "//password: @",
            "## password: @",
            "\"\"\"password: @\"\"\"",
            "\"\"\"password: @\n\"\"\"",
            "'''password: @'''",
            "<!-- password: @ -->",
            "<!--password: @-->",
            "<!-- password = @ -->",
            "* password: @",
            "> password: @",
            "> * password: @",
            "-- password: @",
            "; password: @",
            "**password**: @",
            "- **password**: @",
            "- **password:** @",
            "`password: @`",
            "- `password: @` is the first one",
            "\"password: @\"",
        ],
    );
    for code in [
        "/* password: the user's password */",
        " * @param password the password",
        " * @param password: hunter2lamp9",
        "* password: required",
        "password: string",
        "/// password: string",
        " * password: string2name",
        "/* token: see RFC6749 */",
        " * token = next_token2(x)",
        "/* password = hash2(password) */",
        "-- password: varchar(255)",
        "> token: Token3,",
        "*password = user1password;",
        "**token** = node2value;",
        "`password: ${password1}`",
        "`password: the 2nd password`",
        "<!-- password: {{ password2 }} -->",
        "\"password: \" + user9x8y7z6",
        "password: user1pw2,",
    ] {
        check_left(code);
        check_left(&format!("{code}\n"));
    }
}

#[test]
fn names_with_a_path_templates_and_elements() {
    check_forms(
        concat!("Kx82mQpL", "47vNzR1t"),
        &[
            "p.setProperty(\"db.password\", \"@\");",
            "p.set(\"spring.datasource.password\", \"@\")",
            "System.setProperty('javax.net.ssl.keyStorePassword', '@')",
            "password: ${db.password:@}",
            "url=${password:@}",
            "echo \"${DB_PASSWORD:-@}\"",
            "<entry key=\"db.password\">@</entry>",
            "<property name=\"password\">@</property>",
            "<property name='hibernate.connection.password'>@</property>",
        ],
    );
    for code in [
        "p.setProperty(\"db.password\", password2);",
        "p.getProperty(\"db.password\", \"db.password.default\")",
        "${db.password:${other.password1}}",
        "${DB_PASSWORD:-default}",
        "${DB_PASSWORD:?set DB_PASSWORD1}",
        "<entry key=\"db.password\">Password</entry>",
        "<entry key=\"db.password\">${db.password1}</entry>",
        "<label for=\"password\">Passwort1</label>",
        "[\"a\", \"db.password\", \"a1b2c3d4e5\"]",
    ] {
        check_left(code);
    }
}

#[test]
fn connection_strings_of_words_and_lists_of_variables() {
    check_forms(
        concat!("Kx82mQpL", "47vNzR1t"),
        &[
            "host=x user=bob password=@ dbname=y\n",
            "dsn = \"host=x user=bob password=@ dbname=y\"",
            "dsn = \"host=x user=bob password=@\"",
            "psql 'user=bob password=@'",
            "- name: DB_PASSWORD\n  value: @\n",
            "  - name: \"DB_PASSWORD\"\r\n    value: @ # one\r\n",
            "- name: DB_PASSWORD\n  value: @",
        ],
    );
    for code in [
        "user=bob password=$PASSWORD9 run",
        "a user=bob password=password1 x",
        "f(user=u, password=pw9x8y7z6)",
        "f(a, user=u) password=pw9x8y7z6",
        "- name: DB_PASSWORD\n  value: $(DB_PASSWORD1)\n",
        "- name: DB_PASSWORD\n  value: password\n",
        "- name: DB_PASSWORD\n  valueFrom: x9y8z7w6\n",
        "- name: password\n  value: a9b8c7d6 and more\n",
    ] {
        check_left(code);
    }
}

/// Types, groups and forms of quotes around a literal.
#[test]
fn literals_in_wrappers_of_syntax() {
    check_forms(
        concat!("Kx82mQpL", "47vNzR1t"),
        &[
            "#define PASSWORD (\"@\")",
            "#define PASSWORD ((const char *)\"@\")",
            "password = (\"@\")",
            "auto password = u8\"@\";",
            "auto password = R\"(@)\";",
            "auto password = R\"x(@)x\";",
            "auto password = u8R\"(@)\";",
            "password = (const char *)\"@\";",
            "password = (char*) \"@\";",
            "std::string password{\"@\"};",
            "std::string password{ \"@\" };",
            "auto password = std::string(\"@\");",
            "password := []byte(\"@\")",
            "password := string(\"@\")",
            "password = %q(@)",
            "password = %Q{@}",
            "this.password! = \"@\"",
            "password!: string = \"@\"",
            "<Login password={\"@\"} />",
            "<Login password={'@'} />",
        ],
    );
    for code in [
        "if (password != \"Kx82mQpL47\") {}",
        "password = (x1) + f(\"Kx82mQpL47\")",
        "password = decode(\"Kx82mQpL47\")",
        "token{kind2}",
        "password = {\"kind2name9\": 1}",
        "password = %q(a text of words)",
        "<Login password={password2} />",
        "password := []byte(password2)",
        "#define PASSWORD (get_password2())",
        "password! is short2",
    ] {
        check_left(code);
    }
}

/// The pieces of a value over several lines: the first becomes the marker, the others go.
#[test]
fn values_over_several_pieces() {
    for (form, expect) in [
        ("password: |\n  @\nhost: h\n", "password: |\n  #\nhost: h\n"),
        ("db:\n  password: >-\n    @\n  host: h\n", "db:\n  password: >-\n    #\n  host: h\n"),
        ("- password: |+\n    @\n\n- b\n", "- password: |+\n    #\n\n- b\n"),
        ("password:\n  @\n", "password:\n  #\n"),
        ("secret: |\r\n  ①\r\n  ②\r\n", "secret: |\r\n  #\r\n  \r\n"),
        ("password = \"①\" + \"②\"\n", "password = \"#\" + \"\"\n"),
        ("password = \"①\" +\n    \"②\";\n", "password = \"#\" +\n    \"\";\n"),
        ("password = \"①\"\r\n  + \"②\";\r\n", "password = \"#\"\r\n  + \"\";\r\n"),
        ("$password = '①' . '②';", "$password = '#' . '';"),
        ("password = '①' .. '②'\n", "password = '#' .. ''\n"),
        ("Password = \"①\" & \"②\"\n", "Password = \"#\" & \"\"\n"),
        ("password = (\n    \"①\"\n    \"②\"\n)\n", "password = (\n    \"#\"\n    \"\"\n)\n"),
        ("password = \"①\" \\\n    \"②\"\n", "password = \"#\" \\\n    \"\"\n"),
        ("char password[] = \"①\" \"②\";", "char password[] = \"#\" \"\";"),
        ("password = \"①\\\n②\"\n", "password = \"#\\\n\"\n"),
        ("password = '①\\\r\n  ②';\r\n", "password = '#\\\r\n  ';\r\n"),
        ("password = \"\"\"\n  @\n\"\"\"\n", "password = \"\"\"\n  #\n\"\"\"\n"),
        ("password = \"\"\"①\n②\"\"\"\n", "password = \"\"\"#\n\"\"\"\n"),
        ("password=①\\\n②\n", "password=#\\\n\n"),
        ("db.password = ①\\\n    ②\nhost = h\n", "db.password = #\\\n    \nhost = h\n"),
        ("export DB_PASSWORD=①\\\n②\n", "export DB_PASSWORD=#\\\n\n"),
    ] {
        let (one, two) = (concat!("hun", "ter2"), concat!("la", "mp93x"));
        let form = form.replace('@', "①②").replace('①', one).replace('②', two);
        check(&form, &expect.replace('#', "[REDACTED:SECRET]"));
    }
}

#[test]
fn neighbours_of_a_value_are_no_pieces_of_it() {
    for (form, expect) in [
        ("\"password\": \"@\"\n\"host\": \"h9\"\n", "\"password\": \"#\"\n\"host\": \"h9\"\n"),
        ("f(password=\"@\", \"b9\")", "f(password=\"#\", \"b9\")"),
        ("password = \"@\" + suffix + \"b9\"", "password = \"#\" + suffix + \"b9\""),
        ("password = \"@\".freeze", "password = \"#\".freeze"),
        ("password = \"@\"\n\"a text\".print()\n", "password = \"#\"\n\"a text\".print()\n"),
        ("ENV DB_PASSWORD=@ \\\n    HOST=h9\n", "ENV DB_PASSWORD=# \\\n    HOST=h9\n"),
        ("ENV DB_PASSWORD=@\\\n    HOST=h9\n", "ENV DB_PASSWORD=#\\\n    HOST=h9\n"),
        ("password = \"@\" + \" and a text of words\"", "password = \"#\" + \" and a text of words\""),
    ] {
        check(&form.replace('@', concat!("hunter2", "lamp")), &expect.replace('#', "[REDACTED:SECRET]"));
    }
    for code in [
        "password: |\n  Your password is wrong.\n",
        "password:\n  description: h9x8y7z6\n",
        "password:\n  - h9x8y7z6w5\n",
        "password:\n  <PasswordInput2/>\n",
        "password:\n    field2name(x)\n",
        "secret:\nhost9name8x7\n",
        "password = \"Your password\" +\n  \" is wrong\"\n",
        "token: |\n  kind2\n  kind3\n",
        "case 'password':\n      return12\n",
    ] {
        check_left(code);
    }
}

#[test]
fn options_of_commands_and_files_of_logins() {
    check_forms(
        concat!("hunter2", "lamp"),
        &[
            "kubectl create secret generic db --from-literal=password=@ -n x\n",
            "kubectl create secret generic db --from-literal password=@\n",
            "kubectl create secret generic db --from-literal='db-password=@'\n",
            "helm install db --set auth.password=@ --wait\n",
            "helm install db --set-string auth.rootPassword=@\n",
            "docker build --build-arg db_password=@ .\n",
            "docker run -e db_password=@ image\n",
            "java -Dspring.datasource.password=@ -jar a.jar\n",
            "machine h.example.com login me password @\n",
            "machine h.example.com\n  login me\n  password @\n",
            "default login me password @\r\n",
        ],
    );
    for code in [
        "git log --label password=x\n",
        "the login name password hunter2lamp\n",
        "kubectl create secret generic db --from-literal=password=$PASSWORD9\n",
        "machine h login me password PASSWORD\n",
    ] {
        check_left(code);
    }
}

/// The key of a service account keeps its kind, and its file the rest.
#[test]
fn service_accounts() {
    let key = [&begin(""), "\\n", &body(ALNUM, 64), "\\n", &end(""), "\\n"].concat();
    let form =
        "{\n  \"type\": \"service_account\",\n  \"private_key\": \"@\",\n  \"client_email\": \"a@b.example.com\"\n}\n";
    check(&form.replacen('@', &key, 1), &form.replacen('@', "[REDACTED:PRIVATE_KEY]\\n", 1));
}

#[test]
fn credentials_of_registries() {
    // `app:h4unter2`, and the placeholder `username:password`.
    let auth = concat!("YXBwOmg0", "dW50ZXIy");
    for form in ["{\"auths\": {\"h\": {\"auth\": \"@\"}}}", "//h/:_auth=@\n", "_auth = \"@\"\n", "\"_auth\": \"@\""] {
        check(&form.replace('@', auth), &form.replace('@', "[REDACTED:BASIC_AUTH]"));
        check_left(&form.replace('@', "dXNlcm5hbWU6cGFzc3dvcmQ="));
        check_left(&form.replace('@', "authentication"));
    }
}

#[test]
fn every_sort_of_key() {
    let value = concat!("9f86d081884c7d65", "9a2feaa0c55ad015");
    for key in [
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "db_password",
        "dbPassword",
        "DB_PASSWORD",
        "mysql-password",
        "smtp_pass",
        "secret",
        "client_secret",
        "clientSecret",
        "JWT_SECRET",
        "SECRET_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "aws_secret_access_key",
        "api_key",
        "apiKey",
        "apikey",
        "API_KEY",
        "x-api-key",
        "access_key",
        "private_key",
        "encryption_key",
        "auth_token",
        "access_token",
        "refreshToken",
        "token",
        "GITHUB_TOKEN",
        "bot_token",
        "credentials",
        "AccountKey",
        "app_key",
        "apiKey2",
        "STRIPE_SECRET_KEY_PROD",
    ] {
        check(&format!("{key} = \"{value}\"\n"), &format!("{key} = \"[REDACTED:SECRET]\"\n"));
        check(&format!("  \"{key}\": \"{value}\",\n"), &format!("  \"{key}\": \"[REDACTED:SECRET]\",\n"));
        check(&format!("{key}={value}\n"), &format!("{key}=[REDACTED:SECRET]\n"));
        check(&format!("  {key}: {value}\r\n"), &format!("  {key}: [REDACTED:SECRET]\r\n"));
    }
}

#[test]
fn every_sort_of_password() {
    for value in [
        concat!("hunter2", "hunter2"),
        concat!("Sup3r", "S3cret!"),
        concat!("correct-", "horse-battery"),
        concat!("sword", "fishes"),
        concat!("P@ssw0rd", "2024"),
        concat!("password", "123"),
        concat!("supersecret", "value"),
        concat!("super-secret", "-value"),
        concat!("letmein", "please"),
        concat!("qwerty", "123456"),
        concat!("k9$mQ2", "!xv"),
        "four fake words here",
    ] {
        check_forms(value, &["db_password = \"@\"", "\"password\": \"@\"", "PASSWORD='@'"]);
    }
}

#[test]
fn ordinary_code_is_left() {
    for code in [
        "token = next_token(x)",
        "let token: Option<String> = None;",
        "    token: Option<String>,\n",
        "password: str = Field(...)",
        "f(password=cfg.password, token=self.token)",
        "secret = os.environ[\"X\"]",
        "secret = os.environ[\"APP_SECRET\"]",
        "password = getpass.getpass()",
        "token = TokenKind::Ident",
        "const token = await getToken()",
        "password: PasswordInput",
        "interface A {\n  password: string\n  token?: string;\n  secret: Uint8Array\n}",
        "token = \"access_token\"",
        "\"password\": \"string\"",
        "<input type=\"password\" name=\"password\" placeholder=\"Enter your password\">",
        "{ name: \"token\", label: \"Access token\" }",
        "token: \"identifier\"",
        "token: \"keyword.operator\"",
        "{ token: \"@brackets\", next: \"@pop\" }",
        "AUTH = \"AUTH_TOKEN\"",
        "API_KEY = \"API_KEY\"",
        "api_key = \"your-api-key\"",
        "API_KEY=<your key>",
        "API_KEY=your_api_key_here\n",
        "password: changeme\n",
        "password: ${DB_PASSWORD}\n",
        "password: {{ db_password }}\n",
        "password = \"%s\" % x",
        "password: $DB_PASSWORD\n",
        "secretName: db-credentials\n",
        "imagePullSecret: regcred-prod-1\n",
        "secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:db-1a2b3c\n",
        "secret: letsencrypt-staging\n",
        "\"password\": \"Password must be at least 8 characters\"",
        "password_label: \"Your password\"",
        "forgot_password: \"/auth/forgot-password\"",
        "reset_password = \"Reset password\"",
        "\"password\": \"Mot de passe\"",
        "\"password\": \"Passwort\"",
        "password.label=Contraseña nueva\n",
        "if password == \"\" { return }",
        "if (token === 'undefined') {}",
        "match token { Token::Eof => \"end of file\", _ => \"\" }",
        "eos_token = \"<|endoftext|>\"",
        "next_token = \"eyJlbmQ\"",
        "let key = \"abcdefgh1234\";",
        "primary_key = \"customer_id_2\"",
        "cache_key = f\"user:{id}:v12\"",
        "tokens = [\"a1b2c3d4e5\", \"b2c3d4e5f6\"]",
        "assert!(token.is_some());",
        "token := lexer.Next()",
        "token => token.kind",
        "password_hash = hash(password)",
        "secret_key: str",
        "self.token = token",
        "token = base64_url2",
        "password = user1.password2",
        "#[serde(rename = \"access_token\")]",
        "pub token: &'a str,",
        "fn secret(&self) -> &str { \"secret\" }",
        "export PATH=$PATH:/opt/key9\n",
        "PWD=/home/me/work2\n",
        "curl -H \"Authorization: Bearer $TOKEN\"",
        "curl -H 'Authorization: Bearer <token>'",
        "http://user:password@example.com/",
        "see https://example.com/a?token=TOKEN&x=1",
        "git@github.com:a/b.git",
        "\"access_token\" => $token,",
        "token_url = \"https://h/oauth2/token\"",
        "API_KEY: process.env.API_KEY,",
        "apiKey: config.apiKey",
        "password: hashSync(pw, 10)",
        "password: row[\"pw1\"]",
        "passwd: files sss ldap\n",
        "The password: it must be 8 characters.",
        "// token: see RFC6749 section 4",
        "password: SHA256-hashed by default\n",
        "--password PASSWORD  the password",
        "--token <TOKEN>",
        "tool --api-key $API_KEY2",
        "credentials: 'include'",
        "credentials: \"same-origin\"",
        "secret = generate_secret(32)",
        "token = token_1",
        "SECRET_KEY = get_random_secret_key()",
        "API_TOKEN=$(cat /run/secrets/t1)\n",
        "PASSWORD=\"$(pass show x)\"",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "SK = \"AKIA\"",
        "task-0123456789abcdef0123456789abcdef0",
        "disk-a7Kq2ZxM9wTbR4vNc8LpY3sJdH6gFe5Q1u",
        "pattern.matches(x)",
        "[\"auth_password\", \"a1b2c3d4e5\"]",
        "f(\"Password:\",d2?e(\"code\"):0)",
        "u + \"&password=\"+pwd2xyz+\"&x=1\"",
        "SIGN_UP_PASSWORD = 'signUpPassword'",
        "taskIdToken: 'RDBCHANNEL'",
        "token = \"%HOMEPATH%\\\\\" + rest",
        "http://h/?token=c8de56fa... ok",
        "redis://:key_1234@h",
        "e.SP=e.TOKEN=e.HEX2=e.URL_CHAR9=e.MARK",
        "('authtoken', '0002_auto_20160226_1747')",
        "sha256:9f86d081884c7d659a2feaa0c55ad015",
        "<define name=\"SEC_E_NO_CREDENTIALS\" value=\"0x8009030E\"/>",
        "# in the longer token \"foo!uucp\". In many others",
        "/// the password \"poco@localhost\".",
        "PrivateKey=ALICE_cf_brainpoolP192t1",
        "SSHAuthPrivateKey = \"ssh-privatekey\"",
        "optPrivateKey = \"priv-key\"",
        "{\"access_token\": \"fake-access-token\"}",
        "String keyStorePassword = \"log4j2.keyStorePassword\";",
        "password = \"@env:AC_PASSWORD\"",
        "token = \"credentialsJSON:1312c856-0e13-4b04-8c40-ac26d4a5f700\"",
        "\"GUI Authentication Password\": \"GUI-adgangskode\",",
        "<replace token=\"&lt;tt&gt;\" value=\"{@code \"",
        "<replace includes=\"*.html\" token=\"&amp;#13;\"/>",
        "<filter token=\"WSDL4J_JAR\" value=\"${wsdl4j-lib.jar}\"/>",
        "x ? \"Credentials\" : \"Principals\"",
        "a == PASSWORD ? \"PASSWORD\" : \"PUBLICCKEY\"",
        "assertEquals(\"PASSWORD\", \"pa\\u00dfword\".toUpperCase());",
        "'--auth-token jwt,pub-key=app.rsa.pub,sign-method=RS512,ttl=10m'",
        "--encrypt-master-password --encrypt-password --fail-at-end",
        "static u_char smtp_password[] = \"334 UGFzc3dvcmQ6\" CRLF;",
        "String base64Credentials = \"dXNlcm5hbWU6cGFzc3dvcmQ=\";",
        "Ed25519PrivateKey = ed25519.Ed25519PrivateKey",
        "credentials.ISSHPrivateKey: b\"publickey\",",
        "  feeToken: '0x20c0000000000000000000000000000000000001',",
        "const token = '0x5C221E77624690fff6dd741493D735a17716c26B'",
        "/etc/passwd: 429b225650b912a2ee067b0a4cf1e949",
        ":modify => \"usermod\", :chpasswd => \"chpasswd\"",
        ":old_secret => 'also_change_me'",
        "PrivateKey = RSA-2048-BIS",
        "PrivateKey = P-256_NAMED_CURVE_EXPLICIT",
        "PrivateKey=ffdhe2048-1",
        "f(host=h,password=pw9x8y7z6)",
        "f host=h,password=pw9x8y7z6",
        "OBJ_userPassword=\"\\x55\\x04\\x23\"",
    ] {
        check_left(code);
        check_left(&format!("{code}\n"));
    }
}

/// Encoded data holds every short literal somewhere.
#[test]
fn encoded_data_is_left() {
    for token in [format!("AKIA{}", body(UPPER, 16)), format!("AIza{}", body(ALNUM, 35))] {
        let (data, kind) =
            (body(ALNUM, 120), if token.starts_with("AKIA") { "AWS_ACCESS_KEY" } else { "GOOGLE_API_KEY" });
        check_left(&format!("const WASM = \"{data}{token}{}\"", body(ALNUM, 9)));
        check_left(&format!("const WASM = \"{}{token}{data}\"", body(ALNUM, 9)));
        let near = body(ALNUM, 60);
        check(&format!("{near} {token}, {near}"), &format!("{near} [REDACTED:{kind}], {near}"));
    }
}

#[test]
fn text_without_secrets_is_the_same_allocation() {
    let text = String::from("token = next_token(x)\n");
    let at = text.as_ptr();
    let out = redact(text);
    assert_eq!(out.text.as_ptr(), at);
    assert!(out.counts.is_empty());
}

#[test]
fn counts_are_of_the_markers_in_the_text() {
    let key = format!("AKIA{}", body(UPPER, 16));
    let out = redact(format!("token = \"{key}-tail\"\nid {key}\n"));
    assert_eq!(out.text, "token = \"[REDACTED:SECRET]\"\nid [REDACTED:AWS_ACCESS_KEY]\n");
    assert_eq!(out.counts.into_iter().collect::<Vec<_>>(), [("AWS_ACCESS_KEY", 1), ("SECRET", 1)]);
}

/// Every limit on how far something is looked at can fall inside a character.
#[test]
fn foreign_text_of_any_length_behind_an_anchor() {
    let anchors = [
        "password=hunter2lamp ",
        "password: |\n  ",
        "password = \"",
        "password = \"\"\"",
        "password = \"a\" + \"",
        "<password>",
        "password: ",
        "://user:",
        "bearer ",
        "\"auth\": ",
        "curl -u ",
        "curl -u a:",
        "curl \\\n",
        "login a password ",
        "--set password=",
        "-----BEGIN PRIVATE KEY-----\n",
        "Private-Lines: 9\n",
        "password: a = ",
        "name: password\nvalue: ",
    ];
    for anchor in anchors {
        for length in
            (0..9_usize).chain(45..55).chain(110..125).chain(195..205).chain(250..260).chain(505..515).chain(595..605)
        {
            for step in 0..3 {
                let text = format!("{anchor}{}{}", &"abc"[..step], "ん".repeat(length.div_ceil(3)));
                let out = redact(text.clone()).text;
                assert_eq!(out.matches('\n').count(), text.matches('\n').count());
                redact(format!("{}{}password=hunter2lamp", "ん".repeat(length.div_ceil(3)), &"abc"[..step]));
            }
        }
        for length in [680, 681, 682, 683, 1364, 1365, 1366, 1367] {
            redact(format!("{anchor}{}", "ん".repeat(length)));
            redact(format!("{anchor}a{}", "ん".repeat(length)));
            redact(format!("{anchor}ab{}", "ん".repeat(length)));
        }
    }
}

/// Nothing here is timed: work that grew with the square would not come to an end.
#[test]
fn hostile_text_comes_to_an_end() {
    let begin = concat!("-----BEGIN PRIVATE", " KEY-----");
    for unit in [
        "password=",
        "password=\"",
        "password='password=\"",
        "\"",
        "'",
        "a:b@",
        "://a:b@",
        "eyJ",
        "eyJaaaaaaaaaa.",
        "key",
        "pass_",
        "token: ",
        "token,",
        "token=\\\"",
        "password=\"\"",
        "password = \"a b ",
        "sk-",
        "-----BEGIN ",
        begin,
        "bearer ",
        "basic QUFBQTpBQUFB",
        "secret(",
        "secret)",
        "token]",
        "password=a,",
        "\npassword=a,b;c&",
        "token:\n",
        "xoxb-",
        "ghp_",
        "AKIA",
        "x -us1",
        "Password=1;",
        "<token>",
        "[REDACTED:",
        "token=[REDACTED:X]",
        "=\"token",
    ] {
        let text = unit.repeat((1 << 17) / unit.len());
        let lines = text.matches('\n').count();
        assert_eq!(redact(text).text.matches('\n').count(), lines, "{unit:?}");
    }
}

fn fragment() -> impl Strategy<Value = String> {
    let token = format!("ghp_{}", body(ALNUM, 36));
    let aws = format!("AKIA{}", body(UPPER, 16));
    let jwt = format!("eyJ{}.eyJ{}.{}", body(ALNUM, 12), body(ALNUM, 12), body(ALNUM, 12));
    let (begin, end) = (concat!("-----BEGIN PRIVATE", " KEY-----"), concat!("-----END PRIVATE", " KEY-----"));
    let pieces: Vec<String> = [
        "password",
        "token",
        "db_secret",
        "apiKey",
        "PASSWORD",
        "\"",
        "'",
        "`",
        "\\\"",
        "\\",
        "=",
        ":",
        " = ",
        ": ",
        " => ",
        ",",
        ";",
        "&",
        "?",
        "\n",
        "\r\n",
        " ",
        "  ",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "/",
        "://",
        "@",
        "user:",
        "hunter2lamp",
        "fake-value-1",
        "correct",
        "horse",
        "value",
        "x",
        "-",
        "_",
        ".",
        "é",
        "[REDACTED:SECRET]",
        "[REDACTED:",
        "]",
        "ZmFrZQ",
        "#",
        "//",
        "export ",
        "Bearer ",
        "Basic ",
        "9f86d081884c7d659a2feaa0c55ad015",
        "--",
        "or ",
        "||",
        "your-",
        "the-",
        "-us12",
        "\\n",
        "+",
        "value=",
        "%s",
        "${X}",
        &token,
        &aws,
        &jwt,
        begin,
        end,
    ]
    .iter()
    .map(|piece| (*piece).to_owned())
    .collect();
    prop_oneof![9 => proptest::sample::select(pieces), 1 => ".{0,6}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text(pieces in proptest::collection::vec(fragment(), 0..40)) {
        let text: String = pieces.concat();
        let once = redact(text.clone());
        let twice = redact(once.text.clone());
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert!(twice.counts.is_empty());
        prop_assert_eq!(once.text.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(once.text.matches("\r\n").count(), text.matches("\r\n").count());
        prop_assert_eq!(once.text == text, once.counts.is_empty());
    }
}
