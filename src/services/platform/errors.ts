/**
 * A refusal that the caller can act on. Services throw these; everything else they throw is a bug and is masked.
 * Each subclass is one member of the result unions in the API.
 */
export abstract class DomainError extends Error {
  /** Stable and machine-readable, SCREAMING_SNAKE; part of the public API once released. */
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
