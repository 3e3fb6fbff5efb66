// Makes the class Simulation of native/addon/index.d.ts from the functions of the WebAssembly module (src/lib.rs). It
// runs in browsers, in their workers, and in Node.

/**
 * @param {BufferSource | WebAssembly.Module} source the module `interleave.wasm`
 * @returns {Promise<import('./index.js').Native>}
 */
export async function openWasm(source) {
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  const core = new Core(module);
  return {
    Simulation: simulationClass(core),
    get memoryBytes() {
      return core.instance.memoryBytes;
    },
  };
}

/** The instance of the module that new simulations use. It is replaced after a panic. */
class Core {
  #module;
  #instance;

  constructor(module) {
    this.#module = module;
    this.#instance = new Instance(module);
  }

  get instance() {
    if (this.#instance.isBroken) this.#instance = new Instance(this.#module);
    return this.#instance;
  }
}

/** An instance of the module, with calls that throw errors as the addon throws them. */
class Instance {
  #exports;
  /** The message of the panic, after which the instance must not be used. */
  #panic;
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();

  constructor(module) {
    this.#exports = new WebAssembly.Instance(module).exports;
    this.#exports.report_panics();
  }

  get isBroken() {
    return this.#panic !== undefined;
  }

  /** The size of the instance's memory. */
  get memoryBytes() {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Calls a function of the module, and returns its result. */
  call(name, ...args) {
    const result = this.#run(() => this.#exports[name](...args));
    if (result >= 0) return result;
    const [code, ...message] = this.#decoder.decode(this.outputView()).split('\n');
    throw coded(code, message.join('\n'));
  }

  /** Runs a call. A trap is a panic of netsim, or memory that ran out. */
  #run(call) {
    if (this.isBroken) throw this.#broken();
    try {
      return call();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
      this.#panic = this.#panicMessage() || error.message;
      throw this.#broken();
    }
  }

  #broken() {
    const message = 'netsim panicked; this simulation cannot be used any more';
    return Object.assign(coded('INTERNAL', message), {cause: this.#panic});
  }

  /** The hook of panics runs before the trap and keeps the message. */
  #panicMessage() {
    try {
      const [at, length] = [this.#exports.panic_message(), this.#exports.panic_message_bytes()];
      return this.#decoder.decode(new Uint8Array(this.#exports.memory.buffer, at, length));
    } catch {
      return '';
    }
  }

  /** Passes text to the next call. */
  text(text) {
    this.bytes([this.#encoder.encode(text)]);
  }

  /** Passes arrays of bytes to the next call, one after the other. */
  bytes(arrays) {
    const length = arrays.reduce((sum, {byteLength}) => sum + byteLength, 0);
    const at = this.#run(() => this.#exports.input(length));
    let end = at;
    for (const bytes of arrays) {
      new Uint8Array(this.#exports.memory.buffer, end, bytes.byteLength).set(bytes);
      end += bytes.byteLength;
    }
  }

  /** The output of the last call. It is valid until the next call. */
  outputView() {
    const [at, length] = [this.#exports.output(), this.#exports.output_bytes()];
    return new Uint8Array(this.#exports.memory.buffer, at, length);
  }
}

/** Makes the class `Simulation` of one module. Its objects run on the instances of `core`. */
function simulationClass(core) {
  const freed = new FinalizationRegistry(({instance, number}) => {
    if (!instance.isBroken) instance.call('free', number);
  });

  class Simulation {
    #instance = core.instance;
    #number;

    constructor(options) {
      this.#instance.text(json(options, 'options'));
      this.#number = this.#instance.call('simulation');
      freed.register(this, {instance: this.#instance, number: this.#number}, this);
    }

    get nowNs() {
      return this.#call('now_ns');
    }

    addPath(path) {
      this.#instance.text(json(path, 'path'));
      return this.#call('add_path');
    }

    addPage() {
      return this.#call('add_page');
    }

    openTcp(options) {
      return this.#open('open_tcp', options);
    }

    openSctp(options) {
      return this.#open('open_sctp', options);
    }

    openUdp(page = 0) {
      return this.#open('open_udp', '', pageOf(page));
    }

    openQuic(options) {
      return this.#open('open_quic', options);
    }

    connect(endpoint) {
      this.#call('connect', endpointOf(endpoint));
    }

    write(endpoint, stream, bytes) {
      const numbers = [endpointOf(endpoint), streamOf(stream)];
      this.#instance.bytes([bytesOf(bytes)]);
      return this.#call('write', ...numbers);
    }

    writeParts(endpoint, parts, bytes) {
      if (!isTyped(parts, 'Uint32Array')) throw invalid('invalid parts (must be a Uint32Array)');
      const words = new Uint8Array(parts.buffer, parts.byteOffset, parts.byteLength);
      const number = endpointOf(endpoint);
      this.#instance.bytes([words, bytesOf(bytes)]);
      return this.#call('write_parts', number, parts.length);
    }

    read(endpoint, stream) {
      this.#call('read', endpointOf(endpoint), streamOf(stream));
      return this.#instance.outputView().slice();
    }

    finish(endpoint, stream) {
      this.#call('finish', endpointOf(endpoint), streamOf(stream));
    }

    reset(endpoint, stream, code) {
      this.#call('reset', endpointOf(endpoint), streamOf(stream), number(code, 'code', 0, LARGEST_WORD));
    }

    setPriority(endpoint, stream, priority) {
      const [low, high] = [-(2 ** 31), 2 ** 31 - 1];
      this.#call('set_priority', endpointOf(endpoint), streamOf(stream), number(priority, 'priority', low, high));
    }

    send(endpoint, stream, bytes) {
      const numbers = [endpointOf(endpoint), streamOf(stream)];
      this.#instance.bytes([bytesOf(bytes)]);
      return this.#call('send', ...numbers) === 1;
    }

    renew(endpoint, stream) {
      this.#call('renew', endpointOf(endpoint), streamOf(stream));
    }

    bufferedBytes(endpoint) {
      return this.#call('buffered_bytes', endpointOf(endpoint));
    }

    cwndBytes(endpoint) {
      return this.#call('cwnd_bytes', endpointOf(endpoint));
    }

    maxMessageInPacketBytes(endpoint) {
      return this.#call('max_message_in_packet_bytes', endpointOf(endpoint));
    }

    close(endpoint) {
      this.#call('close', endpointOf(endpoint));
    }

    abort(endpoint) {
      this.#call('abort', endpointOf(endpoint));
    }

    changeLink(atNs, direction, params) {
      const at = number(atNs, 'atNs', 0, Number.MAX_SAFE_INTEGER);
      this.#instance.text(json(params, 'params'));
      this.#call('change_link', at, wayOf(direction));
    }

    canChangeAddress(endpoint) {
      return this.#call('can_change_address', endpointOf(endpoint)) === 1;
    }

    handOver(down, up) {
      const [first, second] = [json(down, 'down'), json(up, 'up')];
      this.#instance.text(first + second);
      this.#call('hand_over', new TextEncoder().encode(first).length);
    }

    setDrops(direction, drops, page = 0) {
      const number = pageOf(page);
      this.#instance.text(json(drops, 'drops'));
      this.#call('set_drops', wayOf(direction), number);
    }

    advance(untilNs) {
      const isBounded = untilNs !== undefined && untilNs !== null;
      const until = isBounded
        ? finite(number(untilNs, 'untilNs', 0, Number.MAX_SAFE_INTEGER))
        : Number.POSITIVE_INFINITY;
      this.#call('advance', until);
      return eventsOf(this.#instance.outputView().slice());
    }

    advanceInto(untilNs, into) {
      const until = number(untilNs, 'untilNs', 0, Number.MAX_SAFE_INTEGER);
      if (!isTyped(into, 'Uint8Array')) throw invalid('invalid into (must be a Uint8Array)');
      const size = this.#call('advance_into', until, into.length);
      if (size <= into.length) into.set(this.#instance.outputView());
      return size;
    }

    packets(page = 0) {
      return this.#columns(0, page);
    }

    chunks(page = 0) {
      return this.#columns(1, page);
    }

    samples(page = 0) {
      return this.#columns(2, page);
    }

    blocked(page = 0) {
      return this.#columns(3, page);
    }

    traffic() {
      return this.#columns(4, 0);
    }

    pcapng(application = 'interleave', page = 0) {
      const number = pageOf(page);
      this.#instance.text(application);
      this.#call('pcapng', number);
      return this.#instance.outputView().slice();
    }

    free() {
      this.#call('free');
      freed.unregister(this);
    }

    #call(name, ...args) {
      return this.#instance.call(name, this.#number, ...args);
    }

    #open(name, options, ...numbers) {
      this.#instance.text(json(options, 'options'));
      this.#call(name, ...numbers);
      const [client, server] = new Uint32Array(this.#instance.outputView().slice().buffer);
      return {client, server};
    }

    #columns(which, page) {
      this.#call('columns', which, pageOf(page));
      return columnsOf(this.#instance.outputView());
    }
  }

  // without this, a call without `new` would throw an error that has no code
  const apply = () => {
    throw coded('INVALID_STATE', 'Simulation is a class: call it with new');
  };
  return new Proxy(Simulation, {apply});
}

/** Reads columns as `ColumnWriter` of src/buffers.rs writes them. Each column gets an array of its own. */
function columnsOf(output) {
  const {buffer, byteOffset, byteLength} = output;
  const view = new DataView(buffer, byteOffset, byteLength);
  const columns = {};
  for (let at = 0; at < byteLength; ) {
    const [kind, rows, nameBytes] = [0, 4, 8].map(offset => view.getUint32(at + offset, true));
    const name = String.fromCharCode(...output.subarray(at + 16, at + 16 + nameBytes));
    const begin = at + 16 + padded(nameBytes);
    const Column = COLUMN_TYPES[kind];
    const end = begin + rows * Column.BYTES_PER_ELEMENT;
    columns[name] = new Column(buffer.slice(byteOffset + begin, byteOffset + end));
    at = begin + padded(end - begin);
  }
  return columns;
}

/** Reads a batch, whose layout is documented at `advanceInto` of native/addon/index.d.ts. */
function eventsOf(batch) {
  const [, count] = new Float64Array(batch.buffer, 0, 3);
  const rows = new Float64Array(batch.buffer, 0, 3 + 5 * count);
  return Array.from({length: count}, (_, index) => {
    const [kind, endpoint, detail, begin, length] = rows.subarray(3 + 5 * index, 8 + 5 * index);
    const {type, field} = EVENTS[kind];
    if (type === 'message') return {endpoint, stream: detail, bytes: batch.slice(begin, begin + length), type};
    if (type === 'reset') return {endpoint, stream: detail, code: begin, type};
    if (type === 'closed') return {endpoint, reason: CLOSE_REASONS[detail], type};
    return field === undefined ? {endpoint, type} : {endpoint, [field]: detail, type};
  });
}

/** Returns options as JSON. A string must be JSON already, and is returned unchanged. */
function json(options, name) {
  if (typeof options === 'string') return options;
  try {
    const text = JSON.stringify(options, plain);
    return text === undefined ? 'null' : text;
  } catch (error) {
    throw invalid(`invalid ${name}: ${error.message} (must be plain data)`);
  }
}

/**
 * Refuses functions and symbols, which JSON would silently leave out, and values of type bigint, which JSON does not
 * have.
 */
function plain(_key, value) {
  if (['function', 'symbol', 'bigint'].includes(typeof value)) throw new TypeError(`it has a ${typeof value}`);
  return value;
}

function endpointOf(value) {
  return number(value, 'endpoint', 0, LARGEST_WORD);
}

function pageOf(value) {
  return number(value, 'page', 0, LARGEST_PAGE);
}

function streamOf(value) {
  return number(value, 'stream', 0, LARGEST_WORD);
}

/** Returns the number of a direction. The result for any other value is a number that the module refuses. */
function wayOf(direction) {
  return DIRECTIONS.includes(direction) ? DIRECTIONS.indexOf(direction) : LARGEST_WORD;
}

/** The module checks the range. Here only values of other types are refused, because WebAssembly would convert them. */
function number(value, name, low, high) {
  if (typeof value !== 'number') throw invalid(`invalid ${name}: not a number (must be ${low}–${high})`);
  return value;
}

/** Replaces Infinity, by which the module means "no limit", by a number that the module refuses. */
function finite(untilNs) {
  return untilNs === Number.POSITIVE_INFINITY ? Number.NaN : untilNs;
}

/** Checks an array of bytes. A detached array has the length 0; `values` throws the TypeError of JavaScript for it. */
function bytesOf(value) {
  if (!isTyped(value, 'Uint8Array')) throw invalid('invalid bytes (must be a Uint8Array)');
  if (value.length === 0) value.values();
  return value;
}

/** `instanceof` would refuse arrays of other realms. */
function isTyped(value, name) {
  return ArrayBuffer.isView(value) && value[Symbol.toStringTag] === name;
}

function invalid(message) {
  return coded('INVALID_ARGUMENT', message);
}

function coded(code, message) {
  return Object.assign(new Error(message), {code});
}

function padded(bytes) {
  return 8 * Math.ceil(bytes / 8);
}

const LARGEST_WORD = 2 ** 32 - 1;
const LARGEST_PAGE = 2 ** 16 - 1;
const DIRECTIONS = ['down', 'up'];
const COLUMN_TYPES = [Uint8Array, Uint32Array, Float64Array];
/** The index is the type's number in a batch. `field` is the name of the number that the event has. */
const EVENTS = [
  {type: 'connected', field: 'streams'},
  {type: 'readable', field: 'stream'},
  {type: 'message'},
  {type: 'writable'},
  {type: 'peer-closed'},
  {type: 'closed'},
  {type: 'finished', field: 'stream'},
  {type: 'reset'},
  {type: 'renewed', field: 'stream'},
  {type: 'room', field: 'bytes'},
];
/** The index is the reason's number in a batch. */
const CLOSE_REASONS = [
  'finished',
  'local-abort',
  'peer-abort',
  'connect-timeout',
  'data-timeout',
  'protocol-violation',
];
