/**
 * Bytes that come in parts, e.g. from a socket, in one piece of memory: however small its parts are, and whatever they
 * are views of, it takes at most a quarter more than its length.
 */
export class JoinedBytes {
  #memory = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory. */
  get capacity(): number {
    return this.#memory.length;
  }

  /** Copies the part. */
  add(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > this.capacity) {
      // A few bytes of the pool could keep much.
      const larger = Buffer.allocUnsafeSlow(Math.max(length, Math.ceil(1.25 * this.capacity)));
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    part.copy(this.#memory, this.#length);
    this.#length = length;
  }

  /** All of it, in the same memory. Does not change with what is added. */
  view(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  clear(): void {
    this.#memory = Buffer.alloc(0);
    this.#length = 0;
  }
}
