import { assistant, decision, failure, question, ran, request, user, type PlantedSession } from "./planted-session.ts";

const shell = (command: string, printed: string) => ran("shell", { command }, printed);

/** Sessions with coding agents, as people have them in English. */
export const englishCoding: readonly PlantedSession[] = [
  {
    name: "invoices",
    language: "en",
    setting: "coding",
    facts: [
      request(
        ["8088", "reverse proxy"],
        user(
          "ah, wait: the port has to stay 8088. the reverse proxy on the customer's box points there and nobody can log in to change it",
        ),
      ),
      decision(
        ["invoice total", "four decimals"],
        user("so where do we round, then? per line or at the end?"),
        assistant(
          "Both are legal here, but per-line rounding is what made the sums drift. Then let's round once, on the invoice total, and keep four decimals on the line items. The PDF can go on showing two.",
        ),
        user("fine by me"),
      ),
      failure(
        ["reading 'currency'", "credit notes"],
        shell(
          "npx vitest run src/invoice",
          ` RUN  v2.1.8 /srv/billing

 ✓ src/invoice/vat.test.ts (14 tests) 31ms
 ✓ src/invoice/number.test.ts (6 tests) 9ms
 ❯ src/invoice/totals.test.ts (22 tests | 1 failed) 48ms
   × totals > sums a month
     → Cannot read properties of undefined (reading 'currency')

 FAIL  src/invoice/totals.test.ts > totals > sums a month
TypeError: Cannot read properties of undefined (reading 'currency')
 ❯ addUp src/invoice/totals.ts:88:31
 ❯ src/invoice/totals.test.ts:140:18

 Test Files  1 failed | 2 passed (3)
      Tests  1 failed | 41 passed (42)`,
        ),
        assistant(
          "Only the month with credit notes trips it. Those come in through the old importer, which never fills the `money` object, so there's nothing to read a currency from.",
        ),
      ),
      question(
        ["negative invoices", "Helga"],
        user(
          "Looks good. Not sure yet whether refunds should show up as negative invoices or as a document type of their own, I'd have to ask Helga in accounting. Carry on with the rest meanwhile.",
        ),
      ),
    ],
  },
  {
    name: "feeds",
    language: "en",
    setting: "data",
    facts: [
      request(
        ["semicolons", "German Excel"],
        user(
          "Thanks, that's already a lot nicer than what we had. It'd be nice if the nightly report still came out as CSV with semicolons, because our finance people open it in a German Excel. The rest of the layout is up to you.",
        ),
      ),
      decision(
        ["parser", "vendor", "in March"],
        user("let's not touch the parser for now, the vendor is changing the feed in March anyway"),
      ),
      failure(
        ["pg-replica", "default bridge"],
        shell(
          "docker compose run --rm nightly",
          `[+] Creating 1/0
 ✔ Container feeds-redis-1  Running
Traceback (most recent call last):
  File "/usr/local/lib/python3.11/site-packages/sqlalchemy/engine/base.py", line 145, in __init__
    self._dbapi_connection = engine.raw_connection()
  File "/usr/local/lib/python3.11/site-packages/psycopg2/__init__.py", line 122, in connect
    conn = _connect(dsn, connection_factory=connection_factory, **kwasync)
sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) could not translate host name "pg-replica" to address: Temporary failure in name resolution
(Background on this error at: https://sqlalche.me/e/20/e3q8)`,
        ),
        assistant(
          "Nothing is wrong with the database. The compose file puts the job on the default bridge, and service names aren't resolved there; with `networks: [warehouse]` it connects.",
        ),
      ),
      question(
        ["before 2019", "two different customer ids"],
        assistant(
          "I've gone through all of the loaders now and the mapping is written down in `docs/mapping.md`. Most of it is dull. One thing I couldn't work out from the code is why rows from before 2019 carry two different customer ids. Do you happen to know if there was a migration?",
        ),
        user("that was before my time, sorry"),
      ),
    ],
  },
  {
    name: "searcher",
    language: "en",
    setting: "coding",
    facts: [
      request(
        ["4 MB", "1.70", "man page"],
        user("ok so for the release:\n- binary under 4 MB\n- MSRV stays at 1.70\n- man page too please"),
      ),
      decision(
        ["mmap", "Windows being slower"],
        user(
          "I've thought about it over lunch and talked to the two people who actually use this. We go with mmap and live with Windows being slower.",
        ),
      ),
      failure(
        ["InvalidMagic", "gzip", "backup job"],
        shell(
          "cargo run --release -- query 'harbour'",
          `    Finished release [optimized] target(s) in 0.08s
     Running \`target/release/seek query harbour\`
thread 'main' panicked at src/index/segment.rs:212:34:
called \`Result::unwrap()\` on an \`Err\` value: InvalidMagic { found: 0x1f8b, expected: 0x5345 }
stack backtrace:
   0: rust_begin_unwind
             at /rustc/9fc6b431/library/std/src/panicking.rs:665:5
   1: core::panicking::panic_fmt
   2: core::result::unwrap_failed
   3: seek::index::segment::Segment::open
   4: seek::index::Index::load
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`,
        ),
        assistant(
          "0x1f8b is gzip's magic number, so the index isn't corrupt: last night's backup job compressed the segment files in place. Decompressing them brings everything back.",
        ),
      ),
      question(
        ["symlinks by default", "complaining"],
        user(
          "still going back and forth on symlinks by default. ripgrep doesn't follow them, fd doesn't, but my own users keep complaining",
        ),
      ),
    ],
  },
  {
    name: "panel",
    language: "en",
    setting: "coding",
    facts: [
      request(
        ["modals", "side panel"],
        user("btw my boss hates modals. whatever you build, make it a side panel instead"),
      ),
      decision(
        ["Zustand", "TanStack Query"],
        assistant(
          "I tried both on the orders page. Redux Toolkit needs about three times the code for the same thing and nobody on the team knows it well; Jotai is pleasant, but the devtools are thin. Given all that I'd settle on Zustand here and leave the server state to TanStack Query.",
        ),
        user("sounds good, do it"),
      ),
      failure(
        ["ERESOLVE", "@hello-pangea/dnd"],
        shell(
          "npm install react-beautiful-dnd",
          `npm ERR! code ERESOLVE
npm ERR! ERESOLVE unable to resolve dependency tree
npm ERR!
npm ERR! While resolving: warehouse-panel@0.4.0
npm ERR! Found: react@18.3.1
npm ERR! node_modules/react
npm ERR!   react@"^18.3.1" from the root project
npm ERR!
npm ERR! Could not resolve dependency:
npm ERR! peer react@"^16.8.5 || ^17.0.0" from react-beautiful-dnd@13.1.1
npm ERR!
npm ERR! Fix the upstream dependency conflict, or retry this command with --force or --legacy-peer-deps
npm ERR! A complete log of this run can be found in: /home/dev/.npm/_logs/2025-05-06T08_12_44_101Z-debug-0.log`,
        ),
        assistant(
          "That library was archived and never got past React 17. There's a fork with the same API, @hello-pangea/dnd, and it installs cleanly on 18.",
        ),
      ),
      question(
        ["dark mode", "printed view"],
        user("do we even want dark mode to apply to the printed view? dunno. park it"),
      ),
    ],
  },
  {
    name: "gateway",
    language: "en",
    setting: "machines",
    facts: [
      request(
        ["staging cluster", "until Thursday", "demo"],
        user(
          "Morning! Before we start, could you please leave the staging cluster alone until Thursday? QA is recording their demo on it and they got burned last time.",
        ),
      ),
      decision(
        ["roll back to 2.14", "certificate"],
        user("what's the safest thing we can do tonight?"),
        assistant(
          "Agreed, no heroics at this hour: roll back to 2.14 tonight, and have another go at the upgrade once the certificate has been renewed.",
        ),
        user("yep"),
      ),
      failure(
        ["too big header", "session cookie"],
        shell(
          "curl -sI https://gw.internal/app && tail -3 /var/log/nginx/error.log",
          `HTTP/2 502
server: nginx/1.24.0
content-type: text/html
content-length: 157

2025/03/11 21:47:03 [error] 31#31: *48812 upstream sent too big header while reading response header from upstream, client: 10.3.0.17, server: gw.internal, request: "GET /app HTTP/2.0", upstream: "http://10.3.4.9:3000/app"`,
        ),
        assistant(
          "There it is. Since the SSO change the session cookie is a little over 4k and no longer fits into `proxy_buffer_size`. The app itself is healthy.",
        ),
      ),
      question(
        ["/v1/export", "4 am"],
        user("what I don't get is who on earth is still calling /v1/export at 4 am. any idea?"),
        assistant("None so far. The access log shows the load balancer's address and nothing behind it."),
      ),
    ],
  },
  {
    name: "board",
    language: "en",
    setting: "machines",
    facts: [
      request(
        ["watchdog", "800 ms"],
        user(
          "One more condition from the hardware folks: the watchdog wants a kick at least every 800 ms, so no blocking reads in the main loop, not even in the bootloader.",
        ),
      ),
      decision(["I2C", "SPI for the display"], user("Forget I2C. SPI for the display, done.")),
      failure(
        ["IMPRECISERR", "DMA", "already returned"],
        shell(
          "arm-none-eabi-gdb -batch -x fault.gdb build/fw.elf",
          `Remote debugging using :3333
Program received signal SIGTRAP, Trace/breakpoint trap.
HardFault_Handler () at src/startup_stm32.s:71
CFSR  = 0x00000400 (IMPRECISERR)
HFSR  = 0x40000000 (FORCED)
pc    = 0x08004c1a <memcpy+18>
lr    = 0x08009e2f <xTaskResumeAll+143>
#0  HardFault_Handler () at src/startup_stm32.s:71
#1  <signal handler called>`,
        ),
        assistant(
          "Took a while, but the picture is clear now: the DMA kept writing into a buffer on the stack of a task that had already returned. The buffer is static now and the fault hasn't come back in an hour of soak.",
        ),
      ),
      question(
        ["crystal", "rev C", "Priit"],
        user("is the crystal 8 or 12 MHz on the rev C boards?? nobody here seems to know, wrote to Priit"),
      ),
    ],
  },
];
