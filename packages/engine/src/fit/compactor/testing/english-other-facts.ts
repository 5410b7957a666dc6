import { assistant, decision, failure, question, ran, request, user, type PlantedSession } from "./planted-session.ts";

/** Sessions about data, models, prose, games and everyday life, as people have them in English. */
export const englishOther: readonly PlantedSession[] = [
  {
    name: "churn",
    language: "en",
    setting: "data",
    facts: [
      request(
        ["read rights", "tmp_ana"],
        user(
          "Before you run anything: I only have read rights on prod and would like to keep it that boring. Everything that writes goes to the scratch schema tmp_ana.",
        ),
      ),
      decision(
        ["last 90 days", "returns don't count"],
        user("yeah I'd say a customer is active if they ordered in the last 90 days, returns don't count"),
      ),
      failure(
        ["o.region", "on the shipment"],
        ran(
          "query",
          { sql: "select o.region, count(*) from v_orders o join shipments s using (order_id) group by s.region" },
          `ERROR:  column "o.region" must appear in the GROUP BY clause or be used in an aggregate function
LINE 1: select o.region, count(*) from v_orders o join shipments s u...
               ^
SQLSTATE: 42803`,
        ),
        assistant(
          "A leftover from the 2022 model, in which each order had a region. Since the split the region sits on the shipment, and `o.region` is a view column that's always null.",
        ),
      ),
      question(
        ["week 31", "warehouse move"],
        assistant(
          "All of the charts are in the notebook, and the seasonal part explains nearly everything. I don't have an explanation for the dip in week 31, though. Could be the warehouse move, could be tracking; someone who was there would have to say.",
        ),
      ),
    ],
  },
  {
    name: "training",
    language: "en",
    setting: "machines",
    facts: [
      request(
        ["W&B", "NDA", "jsonl"],
        user("I'd rather you didn't log anything to W&B, the data is under NDA. A local jsonl is plenty."),
      ),
      decision(
        ["bf16", "layer norms", "4096"],
        assistant(
          "To sum up where we landed:\n\n1. bf16 everywhere except the layer norms\n2. sequence length 4096, packed\n3. no gradient checkpointing until we actually need it",
        ),
        user("👍"),
      ),
      failure(
        ["OutOfMemoryError", "no_grad"],
        ran(
          "shell",
          { command: "python train.py --config base.yaml" },
          `step 400 | loss 2.914 | lr 2.8e-4 | 41.2k tok/s
step 500 | loss 2.871 | lr 3.0e-4 | 41.0k tok/s
running eval ...
Traceback (most recent call last):
  File "/home/train.py", line 318, in <module>
    main()
  File "/home/train.py", line 274, in main
    val = evaluate(model, val_loader)
  File "/home/train.py", line 151, in evaluate
    logits = model(batch.input_ids)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.31 GiB. GPU 0 has a total capacity of 39.39 GiB of which 1.02 GiB is free.`,
        ),
        assistant("I could halve the micro batch and accumulate over more steps. Shall I?"),
        user(
          "hold on, found it. it's not the batch size, the eval loop keeps the whole graph because somebody deleted the no_grad",
        ),
      ),
      question(
        ["lucky seed", "two runs"],
        assistant(
          "The summary table is updated. Whether the gain on long documents is real or just a lucky seed, I can't tell from two runs.",
        ),
      ),
    ],
  },
  {
    name: "novel",
    language: "en",
    setting: "prose",
    facts: [
      request(
        ["present tense", "flashbacks"],
        user(
          "I read the pages on the train yesterday and mostly I'm happy. The weather is lovely, the dialogue has some air in it, and the dog is my favourite person in the book. What I'd love is for the whole thing to stay in the present tense, even the flashbacks, since the reader should never get to feel safe in the past. The other thing is smaller: shorter paragraphs near the end of a chapter.",
        ),
      ),
      decision(
        ["Ottoline dies", "chapter nine"],
        user("So Ottoline dies in chapter nine after all. I fought it, but it's right."),
      ),
      failure(
        ["the ferry", "scrapped", "causeway"],
        user(
          "hm, something's off. in chapter three the ferry hasn't run since the war, and here Jonas simply takes it",
        ),
        assistant(
          "You're right, I mixed it up with the draft you scrapped, in which the ferry still ran. In this one he has to walk over the causeway at low tide. I've rewritten the crossing.",
        ),
      ),
      question(
        ["grandmother knew", "letters"],
        assistant(
          "Here is the scene again with the lamp moved to the window. What remains unsettled is whether the grandmother knew about the letters all along. Both endings work, so I leave it to you.",
        ),
        user("me neither, ask me again when we get to the funeral"),
      ),
    ],
  },
  {
    name: "tavern",
    language: "en",
    setting: "play",
    facts: [
      request(
        ["my character", "two paragraphs"],
        user(
          "(ooc: pls don't write what my character says or thinks, just the others. and keep it around two paragraphs)",
        ),
      ),
      decision(
        ["Vance", "stolen map", "harvest feast"],
        user(
          '"Then we ride before the frost," I say, and pull the hood over my eyes.\n\n(ooc: ok settled, Captain Vance stays in the dark about the stolen map until the harvest feast)',
        ),
      ),
      failure(
        ["Brannoc", "lost that hand", "Isolde"],
        user(
          "(ooc: oops, you made Brannoc hold up the lantern, but he lost that hand to the frost wolf two scenes ago)",
        ),
        assistant(
          "(ooc: quite right, my slip. Isolde carries the lantern from here on.)\n\nThe light swings from her belt as she goes ahead, and the walls of the tunnel come and go like the sides of a breathing animal.",
        ),
      ),
      question(
        ["masked woman", "find out in play"],
        user(
          "I put the cup down without drinking.\n\n(ooc: no clue yet who hired the masked woman btw, let's find out in play)",
        ),
      ),
    ],
  },
  {
    name: "holiday",
    language: "en",
    setting: "life",
    facts: [
      request(
        ["nut allergy", "almonds"],
        user(
          "Hi again. My daughter has a nut allergy, so nothing with almonds or hazelnuts on any of the menus, not even traces. My husband eats everything.",
        ),
      ),
      decision(["Lisbon", "night train"], user("We slept on it: Lisbon it is, and we take the night train back.")),
      failure(
        ["fare_expired", "twenty minutes"],
        ran(
          "book_fare",
          { offer: "QLX7-221", passengers: 4 },
          `{"status":409,"error":"fare_expired","message":"Fare basis QLX7 is no longer available for this itinerary","retry":false}`,
        ),
        assistant(
          "That fare is gone, I'm afraid. Holds last only twenty minutes with this carrier and we had been talking for half an hour. Next time I'd take the hold right before you pay.",
        ),
      ),
      question(
        ["my sister", "the dog", "terrace"],
        user(
          "No answer from my sister yet on whether she's bringing the dog, so the flat with the terrace is only a maybe",
        ),
      ),
    ],
  },
  {
    name: "thesis",
    language: "en",
    setting: "prose",
    facts: [
      request(
        ["witness", "smoothing"],
        user(
          "Everything in quotation marks is the witness's own words; would you mind not smoothing those out? The stumbling is the point.",
        ),
      ),
      decision(
        ["survey chapter", "appendix", "fifteen pages"],
        user(
          "After talking to my supervisor: the survey chapter moves to the appendix, and the theory part shrinks to fifteen pages.",
        ),
      ),
      failure(
        ["\\citet", "biblatex", "\\textcite"],
        ran(
          "shell",
          { command: "latexmk -pdf thesis.tex" },
          `(./chapters/mill.tex
Chapter 4.
[58] [59] [60]
! Undefined control sequence.
l.417 ...rebuilt within the year, as \\citet
                                            {Harkness1924} reports
?
! Emergency stop.
Latexmk: Errors, so I did not complete making targets`,
        ),
        assistant(
          "The university's class file pulls in natbib only when it doesn't see biblatex, and you load biblatex first, so \\citet doesn't exist. \\textcite does the same thing.",
        ),
      ),
      question(
        ["1911 and 1913", "parish register"],
        assistant(
          "Chapter four is through. I left a gap on page 62: your notes give both 1911 and 1913 as the year the mill burned down. Which of them does the parish register say?",
        ),
        user("I'll be at the archive next week"),
      ),
    ],
  },
];
