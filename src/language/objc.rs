//! Objective-C, and Objective-C++ as far as its grammar goes.

mod macros;

use super::cfamily::PREPROCESSOR;
use super::{Claims, Pack, QueryText, Rules, Sample};

pub(super) static PACK: Pack = Pack {
    name: "objc",
    claims: Claims {
        extensions: &["mm"],
        test_files: &["*Test.m", "*Test.mm", "*Tests.m", "*Tests.mm", "*Spec.m", "*Spec.mm"],
        shared: &["h", "m"],
        signs: &[
            r"^\s*@(interface|implementation|protocol)\s+\w",
            r"^\s*@property\s*(\(|\w+[\s*])",
            r"^\s*@class\s+\w+(\s*,\s*\w+)*\s*;",
            r"^\s*@(end|optional|required)\s*$",
            r"^\s*#\s*import\s*[<\x22]",
            r"^@import\s+[\w.]+\s*;",
        ],
        ..Claims::NONE
    },
    grammar: || tree_sitter_objc::LANGUAGE.into(),
    readable: Some(macros::read),
    queries: &[
        QueryText { file: "objc/definitions.scm", text: include_str!("objc/definitions.scm") },
        QueryText { file: "cfamily/definitions.scm", text: include_str!("cfamily/definitions.scm") },
        QueryText { file: "objc/references.scm", text: include_str!("objc/references.scm") },
        QueryText { file: "cfamily/references.scm", text: include_str!("cfamily/references.scm") },
        QueryText { file: "objc/imports.scm", text: include_str!("objc/imports.scm") },
        QueryText { file: "cfamily/imports.scm", text: include_str!("cfamily/imports.scm") },
    ],
    rules: Rules {
        inner_doc: &["///<", "//!<", "/**<", "/*!<"],
        branches: Some(PREPROCESSOR),
        dialects: &["cpp"],
        ..Rules::NONE
    },
    sample: Sample {
        path: "Sources/Store.m",
        text: r#"/* Stores. */
#import "Store.h"
#import <Foundation/Foundation.h>
#include <stdio.h>
@import UIKit;
@import CoreData.NSManagedObject;

NS_ASSUME_NONNULL_BEGIN

#define LIMIT 8

@class Reader, Writer;
@protocol Later;

/// How a store is.
typedef NS_ENUM(NSInteger, State) {
    StateOpen, ///< It is.
    StateClosed = 2,
} NS_SWIFT_NAME(Store.State);

typedef NS_OPTIONS(NSUInteger, Edge) { EdgeTop = 1 << 0 };
NS_ENUM(NSInteger) { LooseMark };
typedef enum { Off = 1, On } Switch;

typedef void (^Done)(NSError *_Nullable error);
typedef struct { CGFloat width; void (^close)(void); } Box;

FOUNDATION_EXPORT NSString *const StoreName;
static NSString *const Place = @"place";
EXPORT(int) old(int a);

/// What reads.
@protocol Source <NSObject, Sized>
- (nullable NSData *)read:(NSUInteger)count;
@optional
@property (nonatomic, readonly) BOOL open;
+ (instancetype)shared;
@end

/**
 * Keeps records.
 */
API_AVAILABLE(ios(11.0))
@interface Store<__covariant Item> : NSObject <Source, NSCopying>
{
    int _count;
@private
    Reader *_reader, *_second; ///< Who reads.
    _Atomic(int) _turns;
}

/// What is in it.
@property (nonatomic, strong, nullable) NSArray<Item> *items;
@property (nonatomic, copy) void (^done)(int code);
@property int left, right;
@property (copy) NSString *title UI_APPEARANCE_SELECTOR;
@property _Atomic(int) turns;

/// Makes one.
- (instancetype)initWithFrame:(CGRect)frame style:(id<Source>)style NS_DESIGNATED_INITIALIZER;
- (void)log:(NSString *)format, ... NS_FORMAT_FUNCTION(1, 2);
- (void)move:(int)from :(int)to __attribute__((deprecated("old")));
- (id)init NS_UNAVAILABLE;
+ make;
@end

@compatibility_alias OldStore Store;

@interface Store ()
@property (nonatomic) Writer *writer;
@end

@interface Store (Drawing) <Drawable>
- (void)draw;
@end

@implementation Store

EXPORT_MODULE()
@synthesize items = _items;

static int helper(void) { return 1; }

#pragma mark - Life

/// Makes one.
- (instancetype)initWithFrame:(CGRect)frame style:(id<Source>)style
{
    if (self = [super initWithFrame:frame style:style]) {
        _reader = [[Reader alloc] initWithStore:self];
        self.items = @[ @(helper()), LIMIT ];
        void (^local)(void) = ^{ int inner = 1; [self draw]; };
        SEL action = @selector(log:from:);
        [self.writer addTarget:self action:@selector(draw)];
    }
    return self;
}

EXPORT_METHOD(show:(NSString *)text
              with:(Box)box)
{
    @autoreleasepool { [NSNotificationCenter.defaultCenter postNotificationName:StoreName object:nil]; }
    @try { [text run]; } @catch (NSException *error) { @throw; } @finally { }
    for (Reader *reader in self.items) { NSLog(@"%@", reader); }
}

VIEW_PROPERTY(color, UIColor *) { box->width = 1; }
@end

@implementation Store (Drawing)
- (void)draw {}
@end

@interface EXTERN_MODULE(Bridge, NSObject)
EXTERN_METHOD(open:(NSString *)path)
@end

@implementation Bridge : NSObject
@end

NS_ASSUME_NONNULL_END
"#,
        definitions: &[
            ("macro", "LIMIT"),
            ("enum", "State"),
            ("field", "State.StateOpen"),
            ("field", "State.StateClosed"),
            ("enum", "Edge"),
            ("field", "Edge.EdgeTop"),
            ("constant", "LooseMark"),
            ("enum", "Switch"),
            ("field", "Switch.Off"),
            ("field", "Switch.On"),
            ("type", "Done"),
            ("struct", "Box"),
            ("field", "Box.width"),
            ("field", "Box.close"),
            ("constant", "StoreName"),
            ("constant", "Place"),
            ("function", "old"),
            ("interface", "Source"),
            ("method", "Source.read:"),
            ("field", "Source.open"),
            ("method", "Source.shared"),
            ("class", "Store"),
            ("field", "Store._count"),
            ("field", "Store._reader"),
            ("field", "Store._second"),
            ("field", "Store._turns"),
            ("field", "Store.items"),
            ("field", "Store.done"),
            ("field", "Store.left"),
            ("field", "Store.right"),
            ("field", "Store.title"),
            ("field", "Store.turns"),
            ("method", "Store.initWithFrame:style:"),
            ("method", "Store.log:"),
            ("method", "Store.move::"),
            ("method", "Store.init"),
            ("method", "Store.make"),
            ("type", "OldStore"),
            ("impl", "Store ()"),
            ("field", "Store.writer"),
            ("impl", "Store (Drawing)"),
            ("method", "Store.draw"),
            ("impl", "@implementation Store"),
            ("function", "Store.helper"),
            ("method", "Store.initWithFrame:style:"),
            ("method", "Store.show:with:"),
            ("method", "Store.color"),
            ("impl", "@implementation Store (Drawing)"),
            ("method", "Store.draw"),
            ("class", "Bridge"),
            ("method", "Bridge.open:"),
            ("impl", "@implementation Bridge"),
        ],
        references: &[
            ("type", "NSError"),
            ("type", "CGFloat"),
            ("type", "NSString"),
            ("type", "NSString"),
            ("call", "EXPORT"),
            ("inherit", "NSObject"),
            ("inherit", "Sized"),
            ("type", "NSData"),
            ("type", "NSUInteger"),
            ("inherit", "NSObject"),
            ("implement", "Source"),
            ("implement", "NSCopying"),
            ("type", "Reader"),
            ("type", "NSArray"),
            ("type", "Item"),
            ("type", "NSString"),
            ("type", "CGRect"),
            ("type", "Source"),
            ("type", "NSString"),
            ("annotation", "deprecated"),
            ("type", "Store"),
            ("type", "Writer"),
            ("implement", "Drawable"),
            ("type", "CGRect"),
            ("type", "Source"),
            ("call", "super initWithFrame"),
            ("type", "Reader"),
            ("call", "Reader alloc"),
            ("call", "[Reader alloc] initWithStore"),
            ("write", "self items"),
            ("call", "helper"),
            ("call", "self draw"),
            ("call", "self.writer addTarget"),
            ("read", "draw"),
            ("type", "NSString"),
            ("type", "Box"),
            ("call", "NSNotificationCenter.defaultCenter postNotificationName"),
            ("call", "text run"),
            ("type", "NSException"),
            ("type", "Reader"),
            ("call", "NSLog"),
            ("write", "box width"),
            ("type", "NSString"),
            ("inherit", "NSObject"),
        ],
        imports: &[
            "Store.h: *",
            "<Foundation/Foundation.h>: *",
            "<stdio.h>: *",
            "UIKit: *",
            "CoreData.NSManagedObject: *",
        ],
    },
};
