/** A response that is not JSON, such as a picture or a CSV export. Read it once, by one of the methods. */
export class HeraldFile {
  readonly contentType: string;

  constructor(private readonly response: Response) {
    this.contentType = response.headers.get('content-type') ?? 'application/octet-stream';
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.response.arrayBuffer());
  }

  text(): Promise<string> {
    return this.response.text();
  }

  /** For responses of any length. */
  async *stream(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.response.body) yield* this.response.body;
  }
}
