//! Recall on every form, silence on ordinary code, and the promises on any text.

use super::kinds::SHAPES;
use super::samples::{ALNUM, HEX, Sample, UPPER, body, samples};
use super::shape::{Edges, Part, Shape};
use super::{KINDS, redact};
use proptest::prelude::*;

mod judgement;
mod syntax;

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
