//! Every way in which a value hangs on its key.

use super::super::samples::{ALNUM, begin, body, end};
use super::{check, check_forms, check_left};

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
