const PATTERNS: readonly RegExp[] = [
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi,
  /\b(?:sk|pk|rk|ghp|gho|xox[abp])[-_][\w-]{4,}/g,
  /\b(?:api[-_]?key|token|secret|password|passwd|signature|sig|key|auth)["']?\s*[=:]\s*["']?[^\s"'&,;}]+/gi,
  /\/\/[^\s/:@]+:[^\s/@]+@/g,
];

/** Replaces what looks like a credential in a text that leaves the process or reaches a model. */
export function redactSecrets(text: string): string {
  return PATTERNS.reduce((rest, pattern) => rest.replace(pattern, '[redacted]'), text);
}
