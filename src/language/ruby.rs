//! Ruby.

use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "ruby",
    claims: Claims {
        extensions: &[
            "arb", "builder", "gemspec", "jbuilder", "podspec", "rabl", "rake", "rb", "rbi", "rbw", "ru", "ruby",
            "thor",
        ],
        file_names: &[
            ".irbrc",
            ".pryrc",
            ".simplecov",
            "Appfile",
            "Appraisals",
            "Berksfile",
            "Brewfile",
            "Buildfile",
            "Capfile",
            "Cheffile",
            "Dangerfile",
            "Deliverfile",
            "Fastfile",
            "Gemfile",
            "Guardfile",
            "Gymfile",
            "Jarfile",
            "Matchfile",
            "Mavenfile",
            "Pluginfile",
            "Podfile",
            "Puppetfile",
            "Rakefile",
            "Scanfile",
            "Snapfile",
            "Steepfile",
            "Thorfile",
            "Vagrantfile",
            "gems.rb",
            "rakefile",
        ],
        interpreters: &["irb", "jruby", "macruby", "rackup", "rake", "rbx", "ruby", "thor", "truffleruby"],
        test_files: &["*_test.rb", "*_spec.rb", "test_*.rb", "spec_helper.rb", "test_helper.rb", "rails_helper.rb"],
        signs: &[
            r"^\s*def (self\.)?[a-z_]\w*[?!]?(\(.*\))?$",
            r"^require(_relative)? .[\w/.-]+.$",
            r"^\s*(module|class) [A-Z]\w*( < [\w:]+)?$",
            r"^\s*attr_(reader|accessor|writer) :\w+",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    readable: None,
    queries: &[
        QueryText { file: "ruby/definitions.scm", text: include_str!("ruby/definitions.scm") },
        QueryText { file: "ruby/references.scm", text: include_str!("ruby/references.scm") },
        QueryText { file: "ruby/imports.scm", text: include_str!("ruby/imports.scm") },
    ],
    rules: Rules { separator: "::", ..Rules::NONE },
    sample: Sample {
        path: "lib/shop/store.rb",
        text: r##"# frozen_string_literal: true

require "json"
require_relative "shop/cart"
autoload :Cache, "shop/cache"
load "tasks.rb"

# typed: strict
module Shop
  LIMIT = 10 # at most
  NAMES = %w[a b].freeze
  Error = Class.new(StandardError)
  Point = Struct.new(:x, :y, keyword_init: true) do
    # How far.
    def length = Math.sqrt(x * x + y * y)
  end
  Pair = Data.define(:left)
  autoload :Index

  # Keeps records.
  #
  # @api public
  class Store < Base::Store
    include Enumerable, Shop::Named
    extend ActiveSupport::Concern

    # Where.
    attr_reader :root
    # Both.
    attr_accessor :width, :height
    private attr_writer :secret
    @@count = 0
    has_many :items, dependent: :destroy do
      def recent; end
    end
    delegate :name, :size, to: :cart
    scope :open, -> { where(open: true) }

    class << self
      # Makes one.
      def build(...) = new(...)

      private

      def make
        send(:build).map(&:touch)
        method(:build)
      end
    end

    HELP = <<~TEXT # :nodoc:
      Long words.
    TEXT
    before_action :setup, only: :find

    # Opens.
    # @param root [String]
    def self.open(root, mode: "r", &block)
      store = new(root)
      store.mode ||= mode
      yield store
    end

    def initialize(root)
      @root, @items = root, []
      setup
      super() unless empty?
      @@count += 1
    end

    def [](key); @items[key]; end

    def root=(value)
      self.width = Shop::LIMIT
    end

    def empty?
    end

    alias size length
    alias_method :fetch, :[]
    define_method(:each) { |&block| @items.each(&block) }

    sig { params(key: String).returns(T.nilable(Record)) }
    def find(key)
      Record.find_by(key: key)&.touch || raise(NotFound, "x")
    rescue KeyError => error
      log <<~TEXT
        class Nothing; end
      TEXT
    end

    private

    def hidden; end
    attr_reader :inner
    Gone = 1
    class Lost < Error # :nodoc:
    end
    def self.open_all; end
    concerning :more do
      protected

      def near; end
    end
    def last; end

    private def inline(value)
      value
    end
    private_class_method def self.secret; end
  end
end

class Shop::Nested::Deep; end
Shop::Config ||= OpenStruct.new

class Shop::Other
  def go; end
end

def Shop.helper
  1
end

=begin
Long words.
=end
def free
end

$loud = true

namespace :db do
  desc "Moves on"
  task :migrate, [:to] => %i[environment load] do |task, args|
    run(args)
  end
  task default: "db:migrate"
end

class StoreTest < Minitest::Test
  def test_opens
    assert_equal 1, Shop::Store.open("x").size
  end

  test "closes" do
  end
end

RSpec.describe Shop::Store, type: :model do
  let(:store) { described_class.new }

  describe "#open" do
    it "opens" do
      expect(store).to be_open
    end
  end
end

# Describes a face.
Shop::Face.define(:catalog, "1.0") do
  run
end

get "/items" do
  render
end

__END__
def data; end
"##,
        definitions: &[
            ("module", "Shop"),
            ("constant", "Shop::LIMIT"),
            ("constant", "Shop::NAMES"),
            ("class", "Shop::Error"),
            ("class", "Shop::Point"),
            ("field", "Shop::Point::x"),
            ("field", "Shop::Point::y"),
            ("method", "Shop::Point::length"),
            ("class", "Shop::Pair"),
            ("field", "Shop::Pair::left"),
            ("class", "Shop::Store"),
            ("field", "Shop::Store::root"),
            ("field", "Shop::Store::width"),
            ("field", "Shop::Store::height"),
            ("field", "Shop::Store::secret"),
            ("field", "Shop::Store::@@count"),
            ("field", "Shop::Store::items"),
            ("method", "Shop::Store::items::recent"),
            ("field", "Shop::Store::name"),
            ("field", "Shop::Store::size"),
            ("method", "Shop::Store::open"),
            ("method", "Shop::Store::build"),
            ("method", "Shop::Store::make"),
            ("constant", "Shop::Store::HELP"),
            ("method", "Shop::Store::open"),
            ("method", "Shop::Store::initialize"),
            ("method", "Shop::Store::[]"),
            ("method", "Shop::Store::root="),
            ("method", "Shop::Store::empty?"),
            ("method", "Shop::Store::size"),
            ("method", "Shop::Store::fetch"),
            ("method", "Shop::Store::each"),
            ("method", "Shop::Store::find"),
            ("method", "Shop::Store::hidden"),
            ("field", "Shop::Store::inner"),
            ("constant", "Shop::Store::Gone"),
            ("class", "Shop::Store::Lost"),
            ("method", "Shop::Store::open_all"),
            ("method", "Shop::Store::near"),
            ("method", "Shop::Store::last"),
            ("method", "Shop::Store::inline"),
            ("method", "Shop::Store::secret"),
            ("class", "Shop::Nested::Deep"),
            ("constant", "Shop::Config"),
            ("class", "Shop::Other"),
            ("method", "Shop::Other::go"),
            ("method", "Shop::helper"),
            ("function", "free"),
            ("variable", "$loud"),
            ("module", "db"),
            ("function", "db::migrate"),
            ("function", "db::default"),
            ("class", "StoreTest"),
            ("test", "StoreTest::test_opens"),
            ("test", "StoreTest::closes"),
            ("test", "Shop::Store"),
            ("method", "Shop::Store::store"),
            ("test", "Shop::Store::#open"),
            ("test", "Shop::Store::#open::opens"),
            ("function", "catalog"),
            ("function", "/items"),
        ],
        references: &[
            ("import", "Cache"),
            ("call", "%w[a b] freeze"),
            ("type", "Class"),
            ("call", "Class new"),
            ("inherit", "StandardError"),
            ("type", "Struct"),
            ("call", "Struct new"),
            ("type", "Math"),
            ("call", "Math sqrt"),
            ("type", "Data"),
            ("call", "Data define"),
            ("call", "autoload"),
            ("type", "Base"),
            ("inherit", "Base Store"),
            ("call", "include"),
            ("inherit", "Enumerable"),
            ("type", "Shop"),
            ("inherit", "Shop Named"),
            ("call", "extend"),
            ("type", "ActiveSupport"),
            ("inherit", "ActiveSupport Concern"),
            ("call", "attr_reader"),
            ("call", "attr_accessor"),
            ("call", "private"),
            ("call", "attr_writer"),
            ("call", "has_many"),
            ("call", "delegate"),
            ("call", "scope"),
            ("call", "where"),
            ("call", "new"),
            ("call", "send"),
            ("call", "build"),
            ("call", "send(:build) map"),
            ("call", "touch"),
            ("call", "method"),
            ("read", "build"),
            ("call", "before_action"),
            ("call", "setup"),
            ("call", "new"),
            ("write", "store mode"),
            ("write", "@root"),
            ("write", "@items"),
            ("call", "setup"),
            ("call", "empty?"),
            ("write", "@@count"),
            ("write", "self width"),
            ("type", "Shop"),
            ("read", "Shop LIMIT"),
            ("read", "length"),
            ("call", "alias_method"),
            ("read", "[]"),
            ("call", "define_method"),
            ("call", "@items each"),
            ("call", "sig"),
            ("call", "params"),
            ("type", "String"),
            ("call", "params(key: String) returns"),
            ("type", "T"),
            ("call", "T nilable"),
            ("type", "Record"),
            ("type", "Record"),
            ("call", "Record find_by"),
            ("call", "Record.find_by(key: key) touch"),
            ("call", "raise"),
            ("type", "NotFound"),
            ("type", "KeyError"),
            ("call", "log"),
            ("call", "attr_reader"),
            ("inherit", "Error"),
            ("call", "concerning"),
            ("call", "private"),
            ("call", "private_class_method"),
            ("type", "Shop"),
            ("type", "Shop Nested"),
            ("type", "Shop"),
            ("type", "OpenStruct"),
            ("call", "OpenStruct new"),
            ("type", "Shop"),
            ("type", "Shop"),
            ("call", "namespace"),
            ("call", "desc"),
            ("call", "task"),
            ("call", "run"),
            ("call", "task"),
            ("type", "Minitest"),
            ("inherit", "Minitest Test"),
            ("call", "assert_equal"),
            ("type", "Shop"),
            ("type", "Shop Store"),
            ("call", "Shop::Store open"),
            ("call", "Shop::Store.open(\"x\") size"),
            ("call", "test"),
            ("type", "RSpec"),
            ("call", "RSpec describe"),
            ("type", "Shop"),
            ("type", "Shop Store"),
            ("call", "let"),
            ("call", "described_class new"),
            ("call", "describe"),
            ("call", "it"),
            ("call", "expect"),
            ("call", "expect(store) to"),
            ("type", "Shop"),
            ("type", "Shop Face"),
            ("call", "Shop::Face define"),
            ("call", "get"),
        ],
        imports: &["json", "shop/cart", "shop/cache: Cache", "tasks.rb"],
    },
};
