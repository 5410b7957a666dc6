/** Words that tell what a sentence is about, by what they tell. Words stand alone; parts may stand inside a word. */
interface Cues {
  /** For scripts that put spaces between words. A `*` stands for the rest of a word. */
  readonly words: string;
  /** For scripts that do not. */
  readonly parts: string;
}

const decision: Cues = {
  words: [
    "decid* decision* agreed must mustn't shall should shouldn't required requirement* mandatory never always ensure",
    "chose chosen prefer* approved rejected confirmed deadline* constraint* forbidden need_to needs_to have_to has_to",
    "do_not don't instead_of going_with make_sure settled_on",
    "entschieden entscheid* beschlossen muss müssen soll sollen darf dürfen vereinbart niemals immer bitte_nicht",
    "décid* doit doivent il_faut obligatoire* jamais toujours convenu",
    "decidi* debe deben tiene_que hay_que obligatori* nunca siempre acordad* deve devono deciso precisa",
    "решил* решен* должен должн* нужно обязательно необходимо нельзя запрещ* всегда никогда",
  ].join(" "),
  parts: [
    "决定 必须 不得 不能 不要 务必 要求 需要 应该 应当 确定 确认 同意 采用 选择 禁止 一定 约定 截止 规定 改为 改用 优先",
    "決定 必須 不得 應該 確認 採用 選擇 決め 決ま 必ず 必要 べき なければ ください 결정 반드시 해야 필수 금지 확정",
  ].join(" "),
};

const failure: Cues = {
  words: [
    "error* exception* fail* fatal traceback panic* crash* denied refused timeout* timed_out cannot could_not couldn't",
    "not_found unable broken bug* enoent eacces segfault fehler* fehlgeschlagen erreur* échec* échou* fallo falló erro",
    "ошибк* не_удалось сбой errore",
  ].join(" "),
  parts: "错误 失败 异常 报错 超时 崩溃 無法 无法 錯誤 失敗 エラー 例外 오류 실패 Error Exception",
};

const open: Cues = {
  words: [
    "open_question* open_point* still_open remains_open left_open put_off tbd to_be_decided to_be_confirmed undecided unclear unresolved not_yet_decided",
    "noch_offen noch_unklar ungeklärt à_définir por_definir не_решено",
  ].join(" "),
  parts: "待定 待确认 待解决 未决 未定 还没定 尚不清楚 还没决定 还没有决定 尚未决定 未確定 要確認 미정",
};

const naming: Cues = {
  words: "named called owner* owns customer* client* contact* email project* version* heißt kunde* s'appelle se_llama",
  parts: "名字 姓名 名叫 名为 客户 负责人 联系人 项目 版本 叫做 名前 担当 이름 담당",
};

const deferral: Cues = {
  words: "don't_know do_not_know not_sure no_idea later let_me_check weiß_nicht plus_tard más_tarde не_знаю позже",
  parts: "不知道 不确定 稍后 以后再 再说 再定 未定 わかりません 後で 모르",
};

function escapeWord(word: string): string {
  return word.replaceAll("_", "[ ]").replaceAll("'", "['’]").replaceAll("*", "\\p{L}*");
}

/** One pattern without the `g` flag, so that testing it keeps no state between calls. */
function patternOf({ words, parts }: Cues): RegExp {
  const alone = `(?<![\\p{L}\\p{N}_])(?:${words.split(" ").map(escapeWord).join("|")})(?![\\p{L}\\p{N}_])`;
  return new RegExp(`${alone}|${parts.split(" ").join("|")}`, "iu");
}

export const cueWords = { decision, failure, open, naming, deferral } as const satisfies Record<string, Cues>;

export type Cue = keyof typeof cueWords;

/** What a text is tried on. */
export type Pattern = Pick<RegExp, "test">;

/** A large pattern, made when it is first tried: a program that summarises nothing does not pay for it. */
function cuePattern(cue: Cue): Pattern {
  let made: RegExp | undefined;
  return {
    test(text) {
      made ??= patternOf(cueWords[cue]);
      return made.test(text);
    },
  };
}

export const cues: Record<Cue, Pattern> = {
  decision: cuePattern("decision"),
  failure: cuePattern("failure"),
  open: cuePattern("open"),
  naming: cuePattern("naming"),
  deferral: cuePattern("deferral"),
};
