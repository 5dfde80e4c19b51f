// What live.py defines when the scripts are joined.
declare const WORDS: Record<string, string>;
declare const COLOURS: Record<string, string>;
