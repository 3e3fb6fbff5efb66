/** What tests use of WebAssembly, whose types Node's packages lack. */
interface WebAssemblyApi {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): readonly object[];
  };
  readonly Instance: new (module: object) => {readonly exports: Readonly<Record<string, unknown>>};
}

export const {WebAssembly} = globalThis as unknown as {WebAssembly: WebAssemblyApi};
