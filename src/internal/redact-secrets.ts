/** A quoted value up to its end, or a bare one up to what ends it in a URL, a header or JSON. */
const VALUE = String.raw`(?:\\*"[^"\r\n]*|\\*'[^'\r\n]*|[^\s"'&,;}]+)`;
/** Between a name and its value, also where JSON was written into JSON. */
const IS = String.raw`["'\\]*\s*[=:]\s*`;

/**
 * Each takes a time that grows with the text and no faster, whatever the text is: a part without a bound ends
 * where the next one cannot, or nothing has to follow it, and it never begins amid more of its own kind.
 */
const PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END [A-Z0-9 ]{0,60}-----|$)/g,
  new RegExp(String.raw`\b(?:set-)?cookie${IS}["'\\]*[^"'\r\n]+`, 'gi'),
  new RegExp(String.raw`\bauthorization${IS}["'\\]*(?:[a-z][\w-]*\s+)?[^\s"',;]+`, 'gi'),
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi,
  /(?<![\w-])eyJ[\w-]{5,}(?:\.[\w-]*){0,4}/g,
  /\b(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|xapp)[-_][\w-]{4,}/g,
  /\b(?:npm|hf)_[A-Za-z0-9]{20,}/g,
  /\bAIza[\w-]{30,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  new RegExp(
    String.raw`(?:(?:api|access|private|secret)[-_]?key|token|secret|password|passwd|passphrase|credentials?|signature|(?<![a-z])(?:key|auth|sig|pass|pwd))${IS}${VALUE}`,
    'gi',
  ),
  /\/\/[^\s/:]*:[^\s/]*@/g,
];

/** Replaces what looks like a credential in a text that leaves the process or reaches a model. */
export function redactSecrets(text: string): string {
  return PATTERNS.reduce((rest, pattern) => rest.replace(pattern, '[redacted]'), text);
}
