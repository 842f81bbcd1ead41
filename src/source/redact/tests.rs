//! Recall on every form, silence on ordinary code, and the promises on any text.

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

/// A body of `length` characters of an alphabet, with no pattern.
fn body(alphabet: &str, length: usize) -> String {
    let letters = alphabet.as_bytes();
    let step = |at: usize| (at * at * 7 + at * 13 + 5) % letters.len();
    (0..length).map(|at| char::from(letters[step(at)])).collect()
}

const ALNUM: &str = "a7Kq2ZxM9wTbR4vNc8LpY3sJdH6gFe5Q1uXi0oW";
const HEX: &str = "0a7f3c9e1d8b2546";
const UPPER: &str = "A7KQ2ZXM3WTBR4VNC5LPY6SJDH";

#[test]
fn published_shapes() {
    let alnum = |length| body(ALNUM, length);
    let hex = |length| body(HEX, length);
    let upper = |length| body(UPPER, length);
    let cases: Vec<(&str, String)> = vec![
        ("AGE_SECRET_KEY", format!("AGE-SECRET-KEY-1{}", upper(58))),
        ("AIRTABLE_TOKEN", format!("pat{}.{}", alnum(14), hex(64))),
        ("ALIBABA_KEY", format!("LTAI{}", alnum(20))),
        ("ANTHROPIC_KEY", format!("sk-ant-api03-{}", alnum(60))),
        ("ARTIFACTORY_TOKEN", format!("AKCp{}", alnum(69))),
        ("ATLASSIAN_TOKEN", format!("ATATT3xFfGF0{}", alnum(80))),
        ("ATLASSIAN_TOKEN", format!("ATBB{}", alnum(32))),
        ("AWS_ACCESS_KEY", format!("ASIA{}", upper(16))),
        ("AWS_ACCESS_KEY", format!("AKIA{}", upper(16))),
        ("AWS_BEDROCK_KEY", format!("ABSK{}", alnum(128))),
        ("AZURE_KEY", format!("abc8Q~{}", alnum(34))),
        ("BRAINTREE_TOKEN", format!("access_token$production${}${}", hex(16), hex(32))),
        ("BREVO_KEY", format!("xkeysib-{}-{}", hex(64), alnum(16))),
        ("BUILDKITE_TOKEN", format!("bkua_{}", hex(40))),
        ("CIRCLECI_TOKEN", format!("CCIPAT_{}_{}", alnum(22), hex(40))),
        ("CLOJARS_TOKEN", format!("CLOJARS_{}", hex(60))),
        ("CLOUDFLARE_KEY", format!("v1.0-{}-{}", hex(24), hex(146))),
        ("CONTENTFUL_TOKEN", format!("CFPAT-{}", alnum(43))),
        ("CRATES_IO_TOKEN", format!("cio{}", alnum(32))),
        ("DATABRICKS_TOKEN", format!("dapi{}-2", hex(32))),
        ("DIGITALOCEAN_TOKEN", format!("dop_v1_{}", hex(64))),
        ("DISCORD_WEBHOOK", format!("discord.com/api/webhooks/123456789012345678/{}", alnum(68))),
        ("DOCKER_TOKEN", format!("dckr_pat_{}", alnum(27))),
        ("DOPPLER_TOKEN", format!("dp.pt.{}", alnum(43))),
        ("DUFFEL_TOKEN", format!("duffel_live_{}", alnum(43))),
        ("DYNATRACE_TOKEN", format!("dt0c01.{}.{}", upper(24), upper(64))),
        ("EASYPOST_KEY", format!("EZAK{}", alnum(54))),
        ("FIGMA_TOKEN", format!("figd_{}", alnum(40))),
        ("FIREBASE_KEY", format!("AAAA{}:APA91b{}", alnum(7), alnum(134))),
        ("FLUTTERWAVE_KEY", format!("FLWSECK-{}-X", hex(32))),
        ("FLY_TOKEN", format!("fo1_{}", alnum(43))),
        ("GITHUB_TOKEN", format!("ghp_{}", alnum(36))),
        ("GITHUB_TOKEN", format!("github_pat_{}_{}", alnum(22), alnum(59))),
        ("GITLAB_TOKEN", format!("glpat-{}", alnum(20))),
        ("GITLAB_TOKEN", format!("gldt-{}", alnum(20))),
        ("GOOGLE_API_KEY", format!("AIza{}", alnum(35))),
        ("GOOGLE_OAUTH", format!("GOCSPX-{}", alnum(28))),
        ("GOOGLE_OAUTH", format!("ya29.{}", alnum(60))),
        ("GRAFANA_TOKEN", format!("glsa_{}_{}", alnum(32), hex(8))),
        ("GROQ_KEY", format!("gsk_{}", alnum(52))),
        ("HEROKU_KEY", format!("HRKU-{}", alnum(60))),
        ("HUGGING_FACE_TOKEN", format!("hf_{}", alnum(34))),
        ("JWT", format!("eyJ{}.eyJ{}.{}", alnum(20), alnum(40), alnum(43))),
        ("LANGSMITH_KEY", format!("lsv2_pt_{}_{}", hex(32), hex(10))),
        ("LINEAR_KEY", format!("lin_api_{}", alnum(40))),
        ("MAILCHIMP_KEY", format!("{}-us12", hex(32))),
        ("MAILGUN_KEY", format!("key-{}", hex(32))),
        ("NETLIFY_TOKEN", format!("nfp_{}", alnum(40))),
        ("NEW_RELIC_KEY", format!("NRAK-{}", upper(27))),
        ("NEW_RELIC_KEY", format!("{}NRAL", hex(36))),
        ("NOTION_TOKEN", format!("ntn_{}", alnum(46))),
        ("NPM_TOKEN", format!("npm_{}", alnum(36))),
        ("NVIDIA_KEY", format!("nvapi-{}", alnum(64))),
        ("ONEPASSWORD_TOKEN", format!("ops_eyJ{}", alnum(250))),
        ("OPENAI_KEY", format!("sk-{}", alnum(48))),
        ("OPENAI_KEY", format!("sk-proj-{}-_{}", alnum(48), alnum(40))),
        ("OPENROUTER_KEY", format!("sk-or-v1-{}", hex(64))),
        ("PERPLEXITY_KEY", format!("pplx-{}", alnum(48))),
        ("PINECONE_KEY", format!("pcsk_{}_{}", alnum(6), alnum(60))),
        ("PLANETSCALE_TOKEN", format!("pscale_tkn_{}", alnum(43))),
        ("POSTHOG_KEY", format!("phx_{}", alnum(43))),
        ("POSTMAN_KEY", format!("PMAK-{}-{}", hex(24), hex(34))),
        ("PREFECT_KEY", format!("pnu_{}", alnum(36))),
        ("PULUMI_TOKEN", format!("pul-{}", hex(40))),
        ("PYPI_TOKEN", format!("pypi-AgEIcHlwaS5vcmc{}", alnum(80))),
        ("RAZORPAY_KEY", format!("rzp_live_{}", alnum(14))),
        ("README_KEY", format!("rdme_{}", hex(70))),
        ("REPLICATE_TOKEN", format!("r8_{}", alnum(37))),
        ("RUBYGEMS_KEY", format!("rubygems_{}", hex(48))),
        ("SENDGRID_KEY", format!("SG.{}.{}", alnum(22), alnum(43))),
        ("SENTRY_TOKEN", format!("sntryu_{}", hex(64))),
        ("SHIPPO_TOKEN", format!("shippo_live_{}", hex(40))),
        ("SHOPIFY_TOKEN", format!("shpat_{}", hex(32))),
        ("SLACK_TOKEN", format!("xoxb-{}-{}", body("1234567890", 12), alnum(24))),
        ("SLACK_TOKEN", format!("xapp-1-{}-{}", upper(11), hex(64))),
        ("SLACK_WEBHOOK", format!("hooks.slack.com/services/T{}/B{}/{}", upper(8), upper(8), alnum(24))),
        ("SONAR_TOKEN", format!("squ_{}", hex(40))),
        ("SOURCEGRAPH_TOKEN", format!("sgp_{}", hex(40))),
        ("SQUARE_TOKEN", format!("sq0atp-{}", alnum(22))),
        ("STRIPE_KEY", format!("rk_live_{}", alnum(24))),
        ("STRIPE_WEBHOOK_SECRET", format!("whsec_{}", alnum(32))),
        ("SUPABASE_TOKEN", format!("sbp_{}", hex(40))),
        ("TAILSCALE_KEY", format!("tskey-auth-{}-{}", alnum(12), alnum(32))),
        ("TAVILY_KEY", format!("tvly-{}", alnum(32))),
        ("TELEGRAM_TOKEN", format!("123456789:AA{}", alnum(33))),
        ("TERRAFORM_TOKEN", format!("{}.atlasv1.{}", alnum(14), alnum(67))),
        ("TWILIO_KEY", format!("SK{}", hex(32))),
        ("TYPEFORM_TOKEN", format!("tfp_{}", alnum(44))),
        ("VAULT_TOKEN", format!("hvs.{}", alnum(90))),
        ("XAI_KEY", format!("xai-{}", alnum(80))),
        ("ZAPIER_WEBHOOK", format!("hooks.zapier.com/hooks/catch/1234567/{}", alnum(7))),
    ];
    for (kind, token) in &cases {
        for (before, after) in [("", ""), ("x = f(\"", "\")"), ("# ", " is it\n"), ("<a>", "</a>"), ("KEY=", "\n")] {
            check(&format!("{before}{token}{after}"), &format!("{before}[REDACTED:{kind}]{after}"));
        }
        assert_eq!(redact(token.clone()).counts.into_iter().collect::<Vec<_>>(), [(*kind, 1)]);
    }
    let tested = |label| cases.iter().any(|(kind, _)| *kind == label);
    let elsewhere = ["BASIC_AUTH", "BEARER_TOKEN", "PRIVATE_KEY", "SECRET", "TEAMS_WEBHOOK", "URL_PASSWORD"];
    for kind in KINDS {
        assert!(tested(kind.label) || elsewhere.contains(&kind.label), "{} is not tested", kind.label);
    }
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
        ],
    );
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
    ] {
        check_left(code);
        check_left(&format!("{code}\n"));
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
