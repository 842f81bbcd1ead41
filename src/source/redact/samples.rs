//! One made-up credential of every kind, put together at run time so that no scanner
//! takes this file for a leak.

use super::discord;

/// A credential and what must stand around it.
pub(super) struct Sample {
    pub kind: &'static str,
    pub before: &'static str,
    pub secret: String,
    pub after: &'static str,
}

impl Sample {
    fn token(kind: &'static str, secret: String) -> Self {
        Self { kind, before: "", secret, after: "" }
    }

    /// The text that holds the credential.
    pub(super) fn text(&self) -> String {
        [self.before, &self.secret, self.after].concat()
    }

    /// The same text with the marker in its place.
    pub(super) fn redacted(&self) -> String {
        format!("{}[REDACTED:{}]{}", self.before, self.kind, self.after)
    }
}

pub(super) const ALNUM: &str = "a7Kq2ZxM9wTbR4vNc8LpY3sJdH6gFe5Q1uXi0oW";
pub(super) const HEX: &str = "0a7f3c9e1d8b2546";
pub(super) const UPPER: &str = "A7KQ2ZXM3WTBR4VNC5LPY6SJDH";

/// A body of `length` characters of an alphabet, with no pattern.
pub(super) fn body(alphabet: &str, length: usize) -> String {
    let letters = alphabet.as_bytes();
    let step = |at: usize| (at * at * 7 + at * 13 + 5) % letters.len();
    (0..length).map(|at| char::from(letters[step(at)])).collect()
}

fn alnum(length: usize) -> String {
    body(ALNUM, length)
}

fn hex(length: usize) -> String {
    body(HEX, length)
}

fn upper(length: usize) -> String {
    body(UPPER, length)
}

fn uuid() -> String {
    let digits = hex(32);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// At least one of every kind, and one of every form that a provider publishes.
pub(super) fn samples() -> Vec<Sample> {
    let mut samples = in_context();
    samples.extend(tokens().into_iter().map(|(kind, secret)| Sample::token(kind, secret)));
    samples
}

/// What only its surroundings give away.
fn in_context() -> Vec<Sample> {
    let password = || concat!("hunter2", "lamp").to_owned();
    let key = format!("{}\\n{}\\n{}", begin("RSA "), alnum(64), end("RSA "));
    let sample = |kind, before, secret, after| Sample { kind, before, secret, after };
    vec![
        sample("AZURE_KEY", "AccountName=x;AccountKey=", format!("{}==", alnum(86)), ";EndpointSuffix=core"),
        sample("AZURE_KEY", "Endpoint=sb://x/;SharedAccessKey=", format!("{}=", alnum(43)), ""),
        sample("AZURE_KEY", "https://x.blob.example.net/c?sv=2024-01-01&sig=", format!("{}%3D", alnum(43)), "&se=2030"),
        // `app:h4unter2`.
        sample("BASIC_AUTH", "Authorization: Basic ", concat!("YXBwOmg0", "dW50ZXIy").into(), ""),
        sample("BASIC_AUTH", "curl -u app:", password(), " x"),
        sample("BEARER_TOKEN", "Authorization: Bearer ", hex(32), ""),
        sample("PRIVATE_KEY", "", key, ""),
        sample("URL_PASSWORD", "postgres://app:", password(), "@db:5432/x"),
    ]
}

pub(super) fn begin(kind: &str) -> String {
    format!("-----BEGIN {kind}{}", concat!("PRIVATE", " KEY-----"))
}

pub(super) fn end(kind: &str) -> String {
    format!("-----END {kind}{}", concat!("PRIVATE", " KEY-----"))
}

fn tokens() -> Vec<(&'static str, String)> {
    vec![
        ("ADAFRUIT_KEY", format!("aio_{}", alnum(28))),
        ("AGE_SECRET_KEY", format!("AGE-SECRET-KEY-1{}", upper(58))),
        ("AIRTABLE_TOKEN", format!("pat{}.{}", alnum(14), hex(64))),
        ("ALIBABA_KEY", format!("LTAI{}", alnum(20))),
        ("ANTHROPIC_KEY", format!("sk-ant-api03-{}", alnum(60))),
        ("ARTIFACTORY_TOKEN", format!("AKCp{}", alnum(69))),
        ("ARTIFACTORY_TOKEN", format!("cmVmdGtu{}", alnum(56))),
        ("ASANA_TOKEN", format!("1/1{}:{}", body("1234567890", 15), hex(32))),
        ("ASANA_TOKEN", format!("2/1{}/1{}:{}", body("1234567890", 15), body("1234567890", 15), hex(32))),
        ("ATLASSIAN_TOKEN", format!("ATATT3xFfGF0{}", alnum(80))),
        ("ATLASSIAN_TOKEN", format!("ATCTT3xFfGN0{}", alnum(80))),
        ("ATLASSIAN_TOKEN", format!("ATBB{}", alnum(32))),
        ("AWS_ACCESS_KEY", format!("ASIA{}", upper(16))),
        ("AWS_ACCESS_KEY", format!("AKIA{}", upper(16))),
        ("AWS_BEDROCK_KEY", format!("ABSK{}", alnum(128))),
        ("AZURE_KEY", format!("abc8Q~{}", alnum(34))),
        ("AZURE_KEY", format!("{}JQQJ99{}", alnum(52), alnum(26))),
        ("BRAINTREE_TOKEN", format!("access_token$production${}${}", hex(16), hex(32))),
        ("BREVO_KEY", format!("xkeysib-{}-{}", hex(64), alnum(16))),
        ("BUILDKITE_TOKEN", format!("bkua_{}", hex(40))),
        ("CIRCLECI_TOKEN", format!("CCIPAT_{}_{}", alnum(22), hex(40))),
        ("CIRCLECI_TOKEN", format!("CCIPRJ_{}_{}", alnum(22), hex(40))),
        ("CLOJARS_TOKEN", format!("CLOJARS_{}", hex(60))),
        ("CLOUDFLARE_KEY", format!("v1.0-{}-{}", hex(24), hex(146))),
        ("CLOUDFLARE_KEY", format!("cfk_{}", alnum(48))),
        ("CLOUDFLARE_KEY", format!("cfut_{}", alnum(48))),
        ("CLOUDFLARE_KEY", format!("cfat_{}", alnum(48))),
        ("CONTENTFUL_TOKEN", format!("CFPAT-{}", alnum(43))),
        ("CRATES_IO_TOKEN", format!("cio{}", alnum(32))),
        ("DATABRICKS_TOKEN", format!("dapi{}-2", hex(32))),
        ("DENO_TOKEN", format!("ddp_{}", alnum(36))),
        ("DENO_TOKEN", format!("ddo_{}", alnum(36))),
        ("DIGITALOCEAN_TOKEN", format!("dop_v1_{}", hex(64))),
        ("DIGITALOCEAN_TOKEN", format!("doo_v1_{}", hex(64))),
        ("DIGITALOCEAN_TOKEN", format!("dor_v1_{}", hex(64))),
        ("DISCORD_TOKEN", discord::sample(&alnum(38))),
        ("DISCORD_WEBHOOK", format!("discord.com/api/webhooks/123456789012345678/{}", alnum(68))),
        ("DISCORD_WEBHOOK", format!("discordapp.com/api/webhooks/123456789012345678/{}", alnum(68))),
        ("DOCKER_TOKEN", format!("dckr_pat_{}", alnum(27))),
        ("DOCKER_TOKEN", format!("dckr_oat_{}", alnum(27))),
        ("DOPPLER_TOKEN", format!("dp.pt.{}", alnum(43))),
        ("DOPPLER_TOKEN", format!("dp.ct.{}", alnum(43))),
        ("DOPPLER_TOKEN", format!("dp.sa.{}", alnum(43))),
        ("DOPPLER_TOKEN", format!("dp.scim.{}", alnum(43))),
        ("DOPPLER_TOKEN", format!("dp.audit.{}", alnum(43))),
        ("DOPPLER_TOKEN", format!("dp.st.prd.{}", alnum(43))),
        ("DROPBOX_TOKEN", format!("sl.{}", alnum(136))),
        ("DUFFEL_TOKEN", format!("duffel_live_{}", alnum(43))),
        ("DYNATRACE_TOKEN", format!("dt0c01.{}.{}", upper(24), upper(64))),
        ("EASYPOST_KEY", format!("EZAK{}", alnum(54))),
        ("FACEBOOK_TOKEN", format!("EAA{}", alnum(180))),
        ("FIGMA_TOKEN", format!("figd_{}", alnum(40))),
        ("FIREBASE_KEY", format!("AAAA{}:APA91b{}", alnum(7), alnum(134))),
        ("FLUTTERWAVE_KEY", format!("FLWSECK-{}-X", hex(32))),
        ("FLY_TOKEN", format!("fo1_{}", alnum(43))),
        ("FLY_TOKEN", format!("fm2_{}", alnum(120))),
        ("GITHUB_TOKEN", format!("ghp_{}", alnum(36))),
        ("GITHUB_TOKEN", format!("gho_{}", alnum(36))),
        ("GITHUB_TOKEN", format!("ghu_{}", alnum(36))),
        ("GITHUB_TOKEN", format!("ghs_{}", alnum(36))),
        ("GITHUB_TOKEN", format!("ghr_{}", alnum(76))),
        ("GITHUB_TOKEN", format!("github_pat_{}_{}", alnum(22), alnum(59))),
        ("GITLAB_TOKEN", format!("glpat-{}", alnum(20))),
        ("GITLAB_TOKEN", format!("gldt-{}", alnum(20))),
        ("GITLAB_TOKEN", format!("glrt-t1_{}", alnum(20))),
        ("GITLAB_TOKEN", format!("glptt-{}", hex(40))),
        ("GITLAB_TOKEN", format!("GR1348941{}", alnum(20))),
        ("GOOGLE_API_KEY", format!("AIza{}", alnum(35))),
        ("GOOGLE_OAUTH", format!("GOCSPX-{}", alnum(28))),
        ("GOOGLE_OAUTH", format!("ya29.{}", alnum(60))),
        ("GOOGLE_OAUTH", format!("1//0{}", alnum(100))),
        ("GRAFANA_TOKEN", format!("glsa_{}_{}", alnum(32), hex(8))),
        ("GRAFANA_TOKEN", format!("glc_{}", alnum(80))),
        ("GRAFANA_TOKEN", format!("eyJrIjoi{}", alnum(70))),
        ("GROQ_KEY", format!("gsk_{}", alnum(52))),
        ("HEROKU_KEY", format!("HRKU-{}", alnum(60))),
        ("HUBSPOT_TOKEN", format!("pat-na1-{}", uuid())),
        ("HUBSPOT_TOKEN", format!("pat-eu1-{}", uuid())),
        ("HUGGING_FACE_TOKEN", format!("hf_{}", alnum(34))),
        ("JWT", format!("eyJ{}.eyJ{}.{}", alnum(20), alnum(40), alnum(43))),
        ("LANGSMITH_KEY", format!("lsv2_pt_{}_{}", hex(32), hex(10))),
        ("LAUNCHDARKLY_KEY", format!("sdk-{}", uuid())),
        ("LINEAR_KEY", format!("lin_api_{}", alnum(40))),
        ("MAILCHIMP_KEY", format!("{}-us12", hex(32))),
        ("MAILGUN_KEY", format!("key-{}", hex(32))),
        ("MAPBOX_TOKEN", format!("sk.eyJ{}.{}", alnum(80), alnum(22))),
        ("NETLIFY_TOKEN", format!("nfp_{}", alnum(40))),
        ("NEW_RELIC_KEY", format!("NRAK-{}", upper(27))),
        ("NEW_RELIC_KEY", format!("{}NRAL", hex(36))),
        ("NOTION_TOKEN", format!("ntn_{}", alnum(46))),
        ("NOTION_TOKEN", format!("secret_{}", alnum(43))),
        ("NPM_TOKEN", format!("npm_{}", alnum(36))),
        ("NUGET_KEY", format!("oy2{}", body("0a7f3c9e1d8b2546klmnop", 43))),
        ("NVIDIA_KEY", format!("nvapi-{}", alnum(64))),
        ("ONEPASSWORD_TOKEN", format!("ops_eyJ{}", alnum(250))),
        ("OPENAI_KEY", format!("sk-{}", alnum(48))),
        ("OPENAI_KEY", format!("sk-proj-{}-_{}", alnum(48), alnum(40))),
        ("OPENAI_KEY", format!("sk-svcacct-{}", alnum(48))),
        ("OPENROUTER_KEY", format!("sk-or-v1-{}", hex(64))),
        ("PERPLEXITY_KEY", format!("pplx-{}", alnum(48))),
        ("PINECONE_KEY", format!("pcsk_{}_{}", alnum(6), alnum(60))),
        ("PLAID_TOKEN", format!("access-production-{}", uuid())),
        ("PLANETSCALE_TOKEN", format!("pscale_tkn_{}", alnum(43))),
        ("PLANETSCALE_TOKEN", format!("pscale_pw_{}", alnum(43))),
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
        ("SENTRY_TOKEN", format!("sntrys_{}", alnum(80))),
        ("SENTRY_TOKEN", format!("sntryu_{}", hex(64))),
        ("SHIPPO_TOKEN", format!("shippo_live_{}", hex(40))),
        ("SHOPIFY_TOKEN", format!("shpat_{}", hex(32))),
        ("SHOPIFY_TOKEN", format!("shpca_{}", hex(32))),
        ("SHOPIFY_TOKEN", format!("shppa_{}", hex(32))),
        ("SHOPIFY_TOKEN", format!("shpss_{}", hex(32))),
        ("SLACK_TOKEN", format!("xoxb-{}-{}", body("1234567890", 12), alnum(24))),
        ("SLACK_TOKEN", format!("xoxp-{}-{}", body("1234567890", 12), alnum(32))),
        ("SLACK_TOKEN", format!("xapp-1-{}-{}", upper(11), hex(64))),
        ("SLACK_WEBHOOK", format!("hooks.slack.com/services/T{}/B{}/{}", upper(8), upper(8), alnum(24))),
        ("SONAR_TOKEN", format!("squ_{}", hex(40))),
        ("SOURCEGRAPH_TOKEN", format!("sgp_{}", hex(40))),
        ("SQUARE_TOKEN", format!("sq0atp-{}", alnum(22))),
        ("SQUARE_TOKEN", format!("sq0csp-{}", alnum(43))),
        ("STRIPE_KEY", format!("sk_live_{}", alnum(24))),
        ("STRIPE_KEY", format!("rk_live_{}", alnum(24))),
        ("STRIPE_KEY", format!("sk_test_{}", alnum(24))),
        ("STRIPE_KEY", format!("rk_test_{}", alnum(99))),
        ("STRIPE_WEBHOOK_SECRET", format!("whsec_{}", alnum(32))),
        ("SUPABASE_TOKEN", format!("sbp_{}", hex(40))),
        ("SUPABASE_TOKEN", format!("sb_secret_{}_{}", alnum(22), alnum(8))),
        ("TAILSCALE_KEY", format!("tskey-auth-{}-{}", alnum(12), alnum(32))),
        ("TAVILY_KEY", format!("tvly-{}", alnum(32))),
        (
            "TEAMS_WEBHOOK",
            format!(".webhook.office.com/webhookb2/{}@{}/IncomingWebhook/{}/{}", uuid(), uuid(), hex(32), uuid()),
        ),
        ("TELEGRAM_TOKEN", format!("123456789:AA{}", alnum(33))),
        ("TERRAFORM_TOKEN", format!("{}.atlasv1.{}", alnum(14), alnum(67))),
        ("TWILIO_KEY", format!("SK{}", hex(32))),
        ("TYPEFORM_TOKEN", format!("tfp_{}", alnum(44))),
        ("VAULT_TOKEN", format!("hvs.{}", alnum(90))),
        ("VERCEL_TOKEN", format!("vcp_{}", alnum(56))),
        ("VERCEL_TOKEN", format!("vck_{}", alnum(56))),
        ("XAI_KEY", format!("xai-{}", alnum(80))),
        ("ZAPIER_WEBHOOK", format!("hooks.zapier.com/hooks/catch/1234567/{}", alnum(7))),
    ]
}
