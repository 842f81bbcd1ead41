//! The published token shapes, one line each, and the list of kinds for the manual.

use super::shape::Class::{
    Alnum, Base64, Dashed, Digit, Dotted, Hex, LowerDigit, LowerHex, Upper32, UpperDigit, UrlSafe,
};
use super::shape::Edges::{Both, Free, Left};
use super::shape::Part::{Lit, Opt, Run};
use super::shape::{Part, Shape};

/// One kind of secret: the label a marker carries and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The label inside `[REDACTED:…]`.
    pub label: &'static str,
    /// What is recognised, in a few words.
    pub what: &'static str,
}

const fn kind(label: &'static str, what: &'static str) -> Kind {
    Kind { label, what }
}

/// The label of a value that only its key gives away.
pub(super) const SECRET: &str = "SECRET";
/// The label of a key block.
pub(super) const PRIVATE_KEY: &str = "PRIVATE_KEY";
/// The label of a password inside a URL.
pub(super) const URL_PASSWORD: &str = "URL_PASSWORD";
/// The label of an HTTP `Bearer` credential.
pub(super) const BEARER_TOKEN: &str = "BEARER_TOKEN";
/// The label of an HTTP `Basic` credential.
pub(super) const BASIC_AUTH: &str = "BASIC_AUTH";

/// Every kind that redaction knows, by label.
pub const KINDS: &[Kind] = &[
    kind("AGE_SECRET_KEY", "age identity, `AGE-SECRET-KEY-1…`"),
    kind("AIRTABLE_TOKEN", "Airtable personal access token, `pat….…`"),
    kind("ALIBABA_KEY", "Alibaba Cloud access key, `LTAI…`"),
    kind("ANTHROPIC_KEY", "Anthropic key, `sk-ant-…`"),
    kind("ARTIFACTORY_TOKEN", "Artifactory key or reference token, `AKCp…`, `cmVmdGtu…`"),
    kind("ATLASSIAN_TOKEN", "Atlassian and Bitbucket tokens, `ATATT3…`, `ATCTT3…`, `ATBB…`"),
    kind("AWS_ACCESS_KEY", "AWS access key id, `AKIA…`, `ASIA…`"),
    kind("AWS_BEDROCK_KEY", "Amazon Bedrock key, `ABSK…`"),
    kind("AZURE_KEY", "Azure account keys in connection strings, Entra client secrets"),
    kind("BASIC_AUTH", "user and password of an HTTP `Basic` header"),
    kind("BEARER_TOKEN", "credential of an HTTP `Bearer` header"),
    kind("BRAINTREE_TOKEN", "PayPal Braintree production access token"),
    kind("BREVO_KEY", "Brevo (Sendinblue) key, `xkeysib-…`"),
    kind("BUILDKITE_TOKEN", "Buildkite token, `bkua_…`"),
    kind("CIRCLECI_TOKEN", "CircleCI token, `CCIPAT_…`, `CCIPRJ_…`"),
    kind("CLOJARS_TOKEN", "Clojars deploy token, `CLOJARS_…`"),
    kind("CLOUDFLARE_KEY", "Cloudflare origin CA key, `v1.0-…`"),
    kind("CONTENTFUL_TOKEN", "Contentful personal access token, `CFPAT-…`"),
    kind("CRATES_IO_TOKEN", "crates.io token, `cio…`"),
    kind("DATABRICKS_TOKEN", "Databricks token, `dapi…`"),
    kind("DIGITALOCEAN_TOKEN", "DigitalOcean token, `dop_v1_…`, `doo_v1_…`, `dor_v1_…`"),
    kind("DISCORD_WEBHOOK", "Discord webhook URL"),
    kind("DOCKER_TOKEN", "Docker Hub token, `dckr_pat_…`, `dckr_oat_…`"),
    kind("DOPPLER_TOKEN", "Doppler token, `dp.pt.…` and its kin"),
    kind("DUFFEL_TOKEN", "Duffel live token, `duffel_live_…`"),
    kind("DYNATRACE_TOKEN", "Dynatrace token, `dt0c01.…`"),
    kind("EASYPOST_KEY", "EasyPost production key, `EZAK…`"),
    kind("FIGMA_TOKEN", "Figma token, `figd_…`"),
    kind("FIREBASE_KEY", "Firebase Cloud Messaging server key, `AAAA…:APA91b…`"),
    kind("FLUTTERWAVE_KEY", "Flutterwave secret key, `FLWSECK-…-X`"),
    kind("FLY_TOKEN", "Fly.io token, `fm1_…`, `fm2_…`, `fo1_…`"),
    kind("GITHUB_TOKEN", "GitHub tokens, `ghp_…` and its kin, `github_pat_…`"),
    kind("GITLAB_TOKEN", "GitLab tokens, `glpat-…` and its kin"),
    kind("GOOGLE_API_KEY", "Google API key, `AIza…`"),
    kind("GOOGLE_OAUTH", "Google client secret, access and refresh token, `GOCSPX-…`, `ya29.…`, `1//0…`"),
    kind("GRAFANA_TOKEN", "Grafana service account and cloud tokens, `glsa_…`, `glc_…`"),
    kind("GROQ_KEY", "Groq key, `gsk_…`"),
    kind("HEROKU_KEY", "Heroku key, `HRKU-…`"),
    kind("HUGGING_FACE_TOKEN", "Hugging Face token, `hf_…`, `api_org_…`"),
    kind("JWT", "JSON Web Token with a signature"),
    kind("LANGSMITH_KEY", "LangSmith key, `lsv2_pt_…`, `lsv2_sk_…`"),
    kind("LINEAR_KEY", "Linear key, `lin_api_…`, `lin_oauth_…`"),
    kind("MAILCHIMP_KEY", "Mailchimp key, `…-us12`"),
    kind("MAILGUN_KEY", "Mailgun key, `key-…`"),
    kind("NETLIFY_TOKEN", "Netlify token, `nfp_…`"),
    kind("NEW_RELIC_KEY", "New Relic keys, `NRAK-…`, `NRJS-…`, `…NRAL`"),
    kind("NOTION_TOKEN", "Notion token, `ntn_…`, `secret_…`"),
    kind("NPM_TOKEN", "npm token, `npm_…`"),
    kind("NVIDIA_KEY", "NVIDIA API key, `nvapi-…`"),
    kind("ONEPASSWORD_TOKEN", "1Password service account token, `ops_eyJ…`"),
    kind("OPENAI_KEY", "OpenAI key, `sk-…`, `sk-proj-…`, `sk-svcacct-…`, `sk-admin-…`"),
    kind("OPENROUTER_KEY", "OpenRouter key, `sk-or-v1-…`"),
    kind("PERPLEXITY_KEY", "Perplexity key, `pplx-…`"),
    kind("PINECONE_KEY", "Pinecone key, `pcsk_…`"),
    kind("PLANETSCALE_TOKEN", "PlanetScale token or password, `pscale_tkn_…`"),
    kind("POSTHOG_KEY", "PostHog personal key, `phx_…`"),
    kind("POSTMAN_KEY", "Postman key, `PMAK-…`"),
    kind("PREFECT_KEY", "Prefect key, `pnu_…`"),
    kind("PRIVATE_KEY", "private key block (PEM, OpenSSH, PGP), with or without its end line"),
    kind("PULUMI_TOKEN", "Pulumi token, `pul-…`"),
    kind("PYPI_TOKEN", "PyPI upload token, `pypi-AgE…`"),
    kind("RAZORPAY_KEY", "Razorpay live key, `rzp_live_…`"),
    kind("README_KEY", "ReadMe key, `rdme_…`"),
    kind("REPLICATE_TOKEN", "Replicate token, `r8_…`"),
    kind("RUBYGEMS_KEY", "RubyGems key, `rubygems_…`"),
    kind("SECRET", "a value under a key that says password, secret, token, API key and so on"),
    kind("SENDGRID_KEY", "SendGrid key, `SG.….…`"),
    kind("SENTRY_TOKEN", "Sentry token, `sntrys_…`, `sntryu_…`"),
    kind("SHIPPO_TOKEN", "Shippo live token, `shippo_live_…`"),
    kind("SHOPIFY_TOKEN", "Shopify tokens, `shpat_…` and its kin"),
    kind("SLACK_TOKEN", "Slack tokens, `xoxb-…` and its kin, `xapp-…`"),
    kind("SLACK_WEBHOOK", "Slack webhook URL"),
    kind("SONAR_TOKEN", "SonarQube token, `squ_…`, `sqp_…`, `sqa_…`"),
    kind("SOURCEGRAPH_TOKEN", "Sourcegraph token, `sgp_…`"),
    kind("SQUARE_TOKEN", "Square token, `sq0atp-…`, `sq0csp-…`, `EAAA…`"),
    kind("STRIPE_KEY", "Stripe live key, `sk_live_…`, `rk_live_…`"),
    kind("STRIPE_WEBHOOK_SECRET", "Stripe webhook signing secret, `whsec_…`"),
    kind("SUPABASE_TOKEN", "Supabase token, `sbp_…`, `sb_secret_…`"),
    kind("TAILSCALE_KEY", "Tailscale key, `tskey-…`"),
    kind("TAVILY_KEY", "Tavily key, `tvly-…`"),
    kind("TEAMS_WEBHOOK", "Microsoft Teams webhook URL"),
    kind("TELEGRAM_TOKEN", "Telegram bot token, `…:AA…`"),
    kind("TERRAFORM_TOKEN", "HCP Terraform token, `….atlasv1.…`"),
    kind("TWILIO_KEY", "Twilio API key, `SK…`"),
    kind("TYPEFORM_TOKEN", "Typeform token, `tfp_…`"),
    kind("URL_PASSWORD", "password in the user part of a URL"),
    kind("VAULT_TOKEN", "HashiCorp Vault token, `hvs.…`, `hvb.…`, `hvr.…`"),
    kind("XAI_KEY", "xAI key, `xai-…`"),
    kind("ZAPIER_WEBHOOK", "Zapier webhook URL"),
];

const MANY: usize = usize::MAX;

const fn shape(kind: &'static str, edges: super::shape::Edges, anchor: &'static str, after: &'static [Part]) -> Shape {
    Shape { kind, edges, before: &[], anchor, after }
}

const fn around(kind: &'static str, before: &'static [Part], anchor: &'static str, after: &'static [Part]) -> Shape {
    Shape { kind, edges: Both, before, anchor, after }
}

/// The shapes. Where two begin at one place the longer wins, then the earlier line.
///
/// The first nine kinds of format 2.3 keep their exact shape and edges, so that
/// both formats agree on them.
pub(super) const SHAPES: &[Shape] = &[
    shape("ANTHROPIC_KEY", Free, "sk-ant-", &[Run(UrlSafe, 20, MANY)]),
    shape("OPENAI_KEY", Left, "sk-", &[Run(Alnum, 32, MANY)]),
    shape("OPENAI_KEY", Free, "sk-proj-", &[Run(UrlSafe, 20, MANY)]),
    shape("OPENAI_KEY", Free, "sk-svcacct-", &[Run(UrlSafe, 20, MANY)]),
    shape("OPENAI_KEY", Left, "sk-admin-", &[Run(UrlSafe, 32, MANY)]),
    shape("OPENAI_KEY", Left, "sk-None-", &[Run(UrlSafe, 32, MANY)]),
    shape("OPENROUTER_KEY", Free, "sk-or-v1-", &[Run(LowerHex, 32, MANY)]),
    shape("STRIPE_KEY", Free, "sk_live_", &[Run(Alnum, 16, MANY)]),
    shape("STRIPE_KEY", Free, "rk_live_", &[Run(Alnum, 16, MANY)]),
    shape("STRIPE_WEBHOOK_SECRET", Left, "whsec_", &[Run(Base64, 24, MANY)]),
    shape("GITHUB_TOKEN", Free, "ghp_", &[Run(Alnum, 36, MANY)]),
    shape("GITHUB_TOKEN", Free, "gho_", &[Run(Alnum, 36, MANY)]),
    shape("GITHUB_TOKEN", Free, "ghu_", &[Run(Alnum, 36, MANY)]),
    shape("GITHUB_TOKEN", Free, "ghs_", &[Run(Alnum, 36, MANY)]),
    shape("GITHUB_TOKEN", Free, "ghr_", &[Run(Alnum, 36, MANY)]),
    shape("GITHUB_TOKEN", Free, "github_pat_", &[Run(UrlSafe, 36, MANY)]),
    shape("SLACK_TOKEN", Free, "xoxb-", &[Run(Dashed, 10, MANY)]),
    shape("SLACK_TOKEN", Free, "xoxa-", &[Run(Dashed, 10, MANY)]),
    shape("SLACK_TOKEN", Free, "xoxp-", &[Run(Dashed, 10, MANY)]),
    shape("SLACK_TOKEN", Free, "xoxr-", &[Run(Dashed, 10, MANY)]),
    shape("SLACK_TOKEN", Free, "xoxs-", &[Run(Dashed, 10, MANY)]),
    shape("SLACK_TOKEN", Left, "xoxo-", &[Run(UrlSafe, 20, MANY)]),
    shape("SLACK_TOKEN", Left, "xoxc-", &[Run(UrlSafe, 20, MANY)]),
    shape("SLACK_TOKEN", Left, "xoxd-", &[Run(UrlSafe, 20, MANY)]),
    shape("SLACK_TOKEN", Left, "xoxe-", &[Run(UrlSafe, 20, MANY)]),
    shape("SLACK_TOKEN", Left, "xoxe.xox", &[Run(UrlSafe, 20, MANY)]),
    shape("SLACK_TOKEN", Left, "xapp-", &[Run(Digit, 1, 2), Lit("-"), Run(UrlSafe, 20, MANY)]),
    shape("AWS_ACCESS_KEY", Free, "AKIA", &[Run(UpperDigit, 16, 16)]),
    shape("AWS_ACCESS_KEY", Both, "ASIA", &[Run(Upper32, 16, 16)]),
    shape("AWS_ACCESS_KEY", Both, "ABIA", &[Run(Upper32, 16, 16)]),
    shape("AWS_ACCESS_KEY", Both, "ACCA", &[Run(Upper32, 16, 16)]),
    shape("AWS_BEDROCK_KEY", Left, "ABSK", &[Run(Base64, 109, 272)]),
    shape("GOOGLE_API_KEY", Free, "AIza", &[Run(UrlSafe, 35, 35)]),
    shape("GOOGLE_OAUTH", Left, "GOCSPX-", &[Run(UrlSafe, 24, MANY)]),
    shape("GOOGLE_OAUTH", Left, "ya29.", &[Run(Dotted, 20, MANY)]),
    shape("GOOGLE_OAUTH", Left, "1//0", &[Run(UrlSafe, 40, MANY)]),
    shape(
        "JWT",
        Free,
        "eyJ",
        &[Run(UrlSafe, 10, MANY), Lit("."), Lit("eyJ"), Run(UrlSafe, 10, MANY), Lit("."), Run(UrlSafe, 10, MANY)],
    ),
    shape("AGE_SECRET_KEY", Left, "AGE-SECRET-KEY-1", &[Run(UpperDigit, 50, 64)]),
    shape("AIRTABLE_TOKEN", Both, "pat", &[Run(Alnum, 14, 14), Lit("."), Run(LowerHex, 64, 64)]),
    shape("ALIBABA_KEY", Both, "LTAI", &[Run(Alnum, 16, 24)]),
    shape("ARTIFACTORY_TOKEN", Both, "AKCp", &[Run(Alnum, 60, 80)]),
    shape("ARTIFACTORY_TOKEN", Both, "cmVmdGtu", &[Run(Alnum, 50, 70)]),
    shape("ATLASSIAN_TOKEN", Left, "ATATT3", &[Run(Base64, 40, MANY)]),
    shape("ATLASSIAN_TOKEN", Left, "ATCTT3", &[Run(Base64, 40, MANY)]),
    shape("ATLASSIAN_TOKEN", Both, "ATBB", &[Run(Alnum, 24, 40)]),
    shape("AZURE_KEY", Left, "AccountKey=", &[Run(Base64, 40, 100)]),
    shape("AZURE_KEY", Left, "SharedAccessKey=", &[Run(Base64, 40, 100)]),
    around("AZURE_KEY", &[Run(Digit, 1, 1), Run(Dotted, 3, 3)], "Q~", &[Run(Dotted, 31, 34)]),
    shape(
        "BRAINTREE_TOKEN",
        Left,
        "access_token$production$",
        &[Run(LowerDigit, 16, 16), Lit("$"), Run(LowerHex, 32, 32)],
    ),
    shape("BREVO_KEY", Left, "xkeysib-", &[Run(LowerHex, 64, 64), Lit("-"), Run(Alnum, 16, 16)]),
    shape("BUILDKITE_TOKEN", Both, "bkua_", &[Run(LowerHex, 40, 40)]),
    shape("CIRCLECI_TOKEN", Left, "CCIPAT_", &[Run(UrlSafe, 40, MANY)]),
    shape("CIRCLECI_TOKEN", Left, "CCIPRJ_", &[Run(UrlSafe, 40, MANY)]),
    shape("CLOJARS_TOKEN", Both, "CLOJARS_", &[Run(LowerDigit, 60, 60)]),
    shape("CLOUDFLARE_KEY", Both, "v1.0-", &[Run(LowerHex, 24, 24), Lit("-"), Run(LowerHex, 146, 146)]),
    shape("CONTENTFUL_TOKEN", Both, "CFPAT-", &[Run(UrlSafe, 40, 48)]),
    shape("CRATES_IO_TOKEN", Both, "cio", &[Run(Alnum, 32, 32)]),
    shape("DATABRICKS_TOKEN", Both, "dapi", &[Run(LowerHex, 32, 32), Opt("-", Digit)]),
    shape("DIGITALOCEAN_TOKEN", Both, "dop_v1_", &[Run(LowerHex, 64, 64)]),
    shape("DIGITALOCEAN_TOKEN", Both, "doo_v1_", &[Run(LowerHex, 64, 64)]),
    shape("DIGITALOCEAN_TOKEN", Both, "dor_v1_", &[Run(LowerHex, 64, 64)]),
    shape(
        "DISCORD_WEBHOOK",
        Free,
        "discord.com/api/webhooks/",
        &[Run(Digit, 15, 22), Lit("/"), Run(UrlSafe, 40, MANY)],
    ),
    shape(
        "DISCORD_WEBHOOK",
        Free,
        "discordapp.com/api/webhooks/",
        &[Run(Digit, 15, 22), Lit("/"), Run(UrlSafe, 40, MANY)],
    ),
    shape("DOCKER_TOKEN", Left, "dckr_pat_", &[Run(UrlSafe, 20, MANY)]),
    shape("DOCKER_TOKEN", Left, "dckr_oat_", &[Run(UrlSafe, 20, MANY)]),
    shape("DOPPLER_TOKEN", Both, "dp.pt.", &[Run(Alnum, 40, 44)]),
    shape("DOPPLER_TOKEN", Both, "dp.ct.", &[Run(Alnum, 40, 44)]),
    shape("DOPPLER_TOKEN", Both, "dp.sa.", &[Run(Alnum, 40, 44)]),
    shape("DOPPLER_TOKEN", Left, "dp.st.", &[Run(Dotted, 40, MANY)]),
    shape("DUFFEL_TOKEN", Left, "duffel_live_", &[Run(UrlSafe, 40, MANY)]),
    shape("DYNATRACE_TOKEN", Both, "dt0c01.", &[Run(UpperDigit, 24, 24), Lit("."), Run(UpperDigit, 64, 64)]),
    shape("EASYPOST_KEY", Both, "EZAK", &[Run(Alnum, 54, 54)]),
    shape("FIGMA_TOKEN", Left, "figd_", &[Run(UrlSafe, 36, MANY)]),
    around("FIREBASE_KEY", &[Run(UrlSafe, 11, 11)], ":APA91b", &[Run(UrlSafe, 100, MANY)]),
    shape("FLUTTERWAVE_KEY", Both, "FLWSECK-", &[Run(LowerHex, 32, 32), Lit("-X")]),
    shape("FLY_TOKEN", Left, "fm1_", &[Run(Base64, 60, MANY)]),
    shape("FLY_TOKEN", Left, "fm2_", &[Run(Base64, 60, MANY)]),
    shape("FLY_TOKEN", Both, "fo1_", &[Run(UrlSafe, 43, 43)]),
    shape("GITLAB_TOKEN", Left, "glpat-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "gldt-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "glrt-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "glcbt-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "glptt-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "glft-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "glimt-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "glagent-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "gloas-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "glsoat-", &[Run(Dotted, 20, MANY)]),
    shape("GITLAB_TOKEN", Left, "glffct-", &[Run(Dotted, 20, MANY)]),
    shape("GRAFANA_TOKEN", Both, "glsa_", &[Run(Alnum, 32, 32), Lit("_"), Run(Hex, 8, 8)]),
    shape("GRAFANA_TOKEN", Left, "glc_", &[Run(Base64, 32, MANY)]),
    shape("GROQ_KEY", Left, "gsk_", &[Run(Alnum, 40, MANY)]),
    shape("HEROKU_KEY", Left, "HRKU-", &[Run(UrlSafe, 36, MANY)]),
    shape("HUGGING_FACE_TOKEN", Both, "hf_", &[Run(Alnum, 30, 40)]),
    shape("HUGGING_FACE_TOKEN", Both, "api_org_", &[Run(Alnum, 30, 40)]),
    shape("LANGSMITH_KEY", Both, "lsv2_pt_", &[Run(LowerHex, 32, 32), Lit("_"), Run(LowerHex, 10, 10)]),
    shape("LANGSMITH_KEY", Both, "lsv2_sk_", &[Run(LowerHex, 32, 32), Lit("_"), Run(LowerHex, 10, 10)]),
    shape("LINEAR_KEY", Left, "lin_api_", &[Run(Alnum, 32, MANY)]),
    shape("LINEAR_KEY", Left, "lin_oauth_", &[Run(Alnum, 32, MANY)]),
    around("MAILCHIMP_KEY", &[Run(LowerHex, 32, 32)], "-us", &[Run(Digit, 1, 2)]),
    shape("MAILGUN_KEY", Both, "key-", &[Run(LowerHex, 32, 32)]),
    shape("NETLIFY_TOKEN", Both, "nfp_", &[Run(Alnum, 36, 44)]),
    shape("NEW_RELIC_KEY", Both, "NRAK-", &[Run(UpperDigit, 27, 27)]),
    shape("NEW_RELIC_KEY", Both, "NRAA-", &[Run(LowerHex, 27, 27)]),
    shape("NEW_RELIC_KEY", Both, "NRJS-", &[Run(LowerHex, 19, 19)]),
    shape("NEW_RELIC_KEY", Both, "NRII-", &[Run(UrlSafe, 32, 32)]),
    around("NEW_RELIC_KEY", &[Run(Alnum, 36, 36)], "NRAL", &[]),
    shape("NOTION_TOKEN", Both, "ntn_", &[Run(Alnum, 40, 50)]),
    shape("NOTION_TOKEN", Both, "secret_", &[Run(Alnum, 43, 43)]),
    shape("NPM_TOKEN", Both, "npm_", &[Run(Alnum, 36, 36)]),
    shape("NVIDIA_KEY", Left, "nvapi-", &[Run(UrlSafe, 60, MANY)]),
    shape("ONEPASSWORD_TOKEN", Left, "ops_eyJ", &[Run(Base64, 200, MANY)]),
    shape("PERPLEXITY_KEY", Both, "pplx-", &[Run(Alnum, 40, 56)]),
    shape("PINECONE_KEY", Left, "pcsk_", &[Run(UrlSafe, 50, MANY)]),
    shape("PLANETSCALE_TOKEN", Left, "pscale_tkn_", &[Run(Dotted, 32, MANY)]),
    shape("PLANETSCALE_TOKEN", Left, "pscale_pw_", &[Run(Dotted, 32, MANY)]),
    shape("PLANETSCALE_TOKEN", Left, "pscale_oauth_", &[Run(Dotted, 32, MANY)]),
    shape("POSTHOG_KEY", Left, "phx_", &[Run(Alnum, 40, MANY)]),
    shape("POSTMAN_KEY", Both, "PMAK-", &[Run(LowerHex, 24, 24), Lit("-"), Run(LowerHex, 34, 34)]),
    shape("PREFECT_KEY", Both, "pnu_", &[Run(Alnum, 36, 36)]),
    shape("PULUMI_TOKEN", Both, "pul-", &[Run(LowerHex, 40, 40)]),
    shape("PYPI_TOKEN", Left, "pypi-AgE", &[Run(UrlSafe, 50, MANY)]),
    shape("RAZORPAY_KEY", Both, "rzp_live_", &[Run(Alnum, 14, 14)]),
    shape("README_KEY", Both, "rdme_", &[Run(LowerDigit, 70, 70)]),
    shape("REPLICATE_TOKEN", Both, "r8_", &[Run(Alnum, 37, 40)]),
    shape("RUBYGEMS_KEY", Both, "rubygems_", &[Run(LowerHex, 48, 48)]),
    shape("SENDGRID_KEY", Left, "SG.", &[Run(UrlSafe, 20, 24), Lit("."), Run(UrlSafe, 39, 50)]),
    shape("SENTRY_TOKEN", Left, "sntrys_", &[Run(Base64, 40, MANY)]),
    shape("SENTRY_TOKEN", Both, "sntryu_", &[Run(LowerHex, 64, 64)]),
    shape("SHIPPO_TOKEN", Both, "shippo_live_", &[Run(LowerHex, 40, 40)]),
    shape("SHOPIFY_TOKEN", Both, "shpat_", &[Run(Hex, 32, 32)]),
    shape("SHOPIFY_TOKEN", Both, "shpca_", &[Run(Hex, 32, 32)]),
    shape("SHOPIFY_TOKEN", Both, "shppa_", &[Run(Hex, 32, 32)]),
    shape("SHOPIFY_TOKEN", Both, "shpss_", &[Run(Hex, 32, 32)]),
    shape(
        "SLACK_WEBHOOK",
        Free,
        "hooks.slack.com/services/",
        &[Run(Alnum, 8, 14), Lit("/"), Run(Alnum, 8, 14), Lit("/"), Run(Alnum, 20, 30)],
    ),
    shape("SLACK_WEBHOOK", Free, "hooks.slack.com/workflows/", &[Run(Base64, 40, MANY)]),
    shape("SLACK_WEBHOOK", Free, "hooks.slack.com/triggers/", &[Run(Base64, 40, MANY)]),
    shape("SONAR_TOKEN", Both, "squ_", &[Run(LowerHex, 40, 40)]),
    shape("SONAR_TOKEN", Both, "sqp_", &[Run(LowerHex, 40, 40)]),
    shape("SONAR_TOKEN", Both, "sqa_", &[Run(LowerHex, 40, 40)]),
    shape("SOURCEGRAPH_TOKEN", Both, "sgp_", &[Run(UrlSafe, 40, 60)]),
    shape("SQUARE_TOKEN", Left, "sq0atp-", &[Run(UrlSafe, 22, MANY)]),
    shape("SQUARE_TOKEN", Left, "sq0csp-", &[Run(UrlSafe, 40, MANY)]),
    shape("SQUARE_TOKEN", Both, "EAAA", &[Run(UrlSafe, 60, 60)]),
    shape("SUPABASE_TOKEN", Both, "sbp_", &[Run(LowerHex, 40, 40)]),
    shape("SUPABASE_TOKEN", Left, "sb_secret_", &[Run(UrlSafe, 24, MANY)]),
    shape("TAILSCALE_KEY", Left, "tskey-", &[Run(UrlSafe, 24, MANY)]),
    shape("TAVILY_KEY", Left, "tvly-", &[Run(UrlSafe, 28, MANY)]),
    shape(
        "TEAMS_WEBHOOK",
        Free,
        ".webhook.office.com/webhookb2/",
        &[
            Run(UrlSafe, 36, 36),
            Lit("@"),
            Run(UrlSafe, 36, 36),
            Lit("/IncomingWebhook/"),
            Run(LowerHex, 32, 32),
            Lit("/"),
            Run(UrlSafe, 36, MANY),
        ],
    ),
    around("TELEGRAM_TOKEN", &[Run(Digit, 8, 10)], ":AA", &[Run(UrlSafe, 33, 33)]),
    around("TERRAFORM_TOKEN", &[Run(Alnum, 14, 14)], ".atlasv1.", &[Run(Base64, 60, 80)]),
    shape("TWILIO_KEY", Both, "SK", &[Run(LowerHex, 32, 32)]),
    shape("TYPEFORM_TOKEN", Left, "tfp_", &[Run(Dotted, 40, MANY)]),
    shape("VAULT_TOKEN", Left, "hvs.", &[Run(UrlSafe, 24, MANY)]),
    shape("VAULT_TOKEN", Left, "hvb.", &[Run(UrlSafe, 24, MANY)]),
    shape("VAULT_TOKEN", Left, "hvr.", &[Run(UrlSafe, 24, MANY)]),
    shape("XAI_KEY", Left, "xai-", &[Run(Alnum, 60, MANY)]),
    shape("ZAPIER_WEBHOOK", Free, "hooks.zapier.com/hooks/catch/", &[Run(Digit, 5, 12), Lit("/"), Run(Alnum, 5, 12)]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_has_its_line_and_the_list_is_sorted() {
        assert!(KINDS.is_sorted_by(|a, b| a.label < b.label));
        let known = |label| KINDS.iter().any(|kind| kind.label == label);
        for label in [SECRET, PRIVATE_KEY, URL_PASSWORD, BEARER_TOKEN, BASIC_AUTH] {
            assert!(known(label), "{label}");
        }
        for shape in SHAPES {
            assert!(known(shape.kind), "{}", shape.kind);
        }
    }
}
