import { assistant, decision, failure, question, ran, request, user, type PlantedSession } from "./planted-session.ts";

/** Sessions about data, models, prose, games and everyday life, as people have them in Chinese. */
export const chineseOther: readonly PlantedSession[] = [
  {
    name: "报表",
    language: "zh",
    setting: "data",
    facts: [
      request(["手机号", "打码", "星号"], user("客户名单里的手机号一律打码再给我看，中间四位用星号")),
      decision(
        ["三十天内有付款", "光登录不算"],
        user("刚开完会。活跃用户的口径按财务的来：三十天内有付款，光登录不算。"),
      ),
      failure(
        ["only_full_group_by", "测试库是 5.6"],
        ran(
          "query",
          { sql: "select city, user_id, sum(amount) from orders group by city" },
          "ERROR 1055 (42000): Expression #2 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'shop.orders.user_id' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by",
        ),
        assistant(
          "难怪您本地没事：测试库是 5.6，默认不开这个模式，线上是 8.0，所以只在线上报。把 user_id 去掉就可以了。",
        ),
      ),
      question(
        ["二月十四号", "三倍", "活动规则"],
        assistant(
          "月报初稿写好了，环比和同比都在第二页。二月十四号那天的退货是平时的三倍，我没找到原因，不知道是不是活动规则的问题，恐怕得问当时负责的人。",
        ),
      ),
    ],
  },
  {
    name: "微调",
    language: "zh",
    setting: "machines",
    facts: [
      request(["0 号卡", "隔壁组"], user("训练别占 0 号卡，那是隔壁组的，跟人家说好了的")),
      decision(
        ["LoRA", "秩取 16", "全量微调"],
        assistant("显存、时间、效果放在一起看，综合下来用 LoRA，秩取 16，全量微调这一期不做。"),
        user("同意"),
      ),
      failure(
        ["NCCL", "百兆"],
        ran(
          "shell",
          { command: "torchrun --nnodes 4 --nproc_per_node 8 sft.py" },
          `[rank24]:[E ProcessGroupNCCL.cpp:607] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8812, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800512 milliseconds before timing out.
terminate called after throwing an instance of 'c10::DistBackendError'
  what():  NCCL communicator was aborted on rank 24.
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: sft.py FAILED (exitcode: -6)`,
        ),
        user("查到了，不是代码的事，第四台机器的网口掉到百兆了，换了根线就好"),
      ),
      question(["验证集", "谁也说不清"], user("验证集跟训练集里有没有重的题，谁也说不清，先打个问号吧")),
    ],
  },
  {
    name: "长篇",
    language: "zh",
    setting: "prose",
    facts: [
      request(
        ["不用成语", "对话"],
        user(
          "我想了很久，这本书的味道应该是旧的、慢的，像冬天下午的光。你上次写的那段雨就很好，有那个意思。所以能不用成语就不用成语，对话也尽量短，人物说半句留半句。景物可以多写一点，我不嫌长。",
        ),
      ),
      decision(["沈砚", "渡口", "不让他进城"], user("最后一章还是让沈砚回到渡口，不让他进城了")),
      failure(
        ["玉佩", "当票"],
        user("不对啊，第四章里阿蘅已经把玉佩当掉了，怎么这儿又从袖子里掏出来了"),
        assistant("确实是我疏忽。玉佩还在当铺里，她能掏出来的只有那张当票，我把这一段改过来了，后面的对白也跟着调了。"),
      ),
      question(
        ["大火", "人为", "写死"],
        assistant(
          "这一节按你的意思收短了。至于那场大火是不是人为，我暂时没有写死，两种读法都留着，看你后面想往哪边走。",
        ),
        user("先留着"),
      ),
    ],
  },
  {
    name: "江湖",
    language: "zh",
    setting: "play",
    facts: [
      request(["替我的角色做决定", "开口"], user("（场外：别替我的角色做决定哈，写到他要开口的地方就停）")),
      decision(
        ["真实身份", "第七幕"],
        user("我把斗笠往下压了压，没有接话。\n\n（场外：说好了，师父的真实身份第七幕之前谁都不知道）"),
      ),
      failure(
        ["柳掌柜", "血腥味"],
        user("（场外：咦，柳掌柜不是瞎的吗，怎么看见我受伤了）"),
        assistant(
          "（场外：啊，是我写错了，她是闻到血腥味的，我重写。）\n\n她侧过头，鼻翼轻轻动了一下，手里的算盘停住了。“客官，先坐下。”她说。",
        ),
      ),
      question(["那封信", "没想好", "点破"], user("（场外：那封信是谁塞进来的我还没想好，你先别点破）")),
    ],
  },
  {
    name: "出行",
    language: "zh",
    setting: "life",
    facts: [
      request(["膝盖", "两层"], user("我爸膝盖不好，行程里爬楼梯超过两层的地方就别安排了。其他的随意，他胃口好得很。")),
      decision(["高铁", "初三走初七回"], user("机票贵成这样……改高铁吧，初三走初七回")),
      failure(
        ["证件号已被其他订单占用", "没付款"],
        ran(
          "create_order",
          { train: "G1305", seats: 3 },
          `{"code":40302,"success":false,"message":"该证件号已被其他订单占用","traceId":"a91f03c2"}`,
        ),
        assistant("被占用是因为昨天那单没付款，又还没自动取消。把旧的取消掉再下就可以，或者等它三十分钟后自己释放。"),
      ),
      question(["表姐一家", "没准信"], user("表姐一家来不来还没准信，房间先别退")),
    ],
  },
  {
    name: "论文",
    language: "zh",
    setting: "prose",
    facts: [
      request(["本文", "导师"], user("能不能都用“本文”自称？导师看见“我们”就皱眉头，上次还专门圈出来了。")),
      decision(["第五章并到第三章", "实验二删掉"], user("跟导师聊过了，第五章并到第三章去，实验二删掉不写")),
      failure(
        ["U+9C7B", "SimSun"],
        ran(
          "shell",
          { command: "xelatex main.tex" },
          `(./body/chap02.tex
第 2 章
[21] [22]
! LaTeX Error: Unicode character 鱻 (U+9C7B)
               not set up for use with LaTeX.
l.88 ……古文作鱻
              ，段注云
!  ==> Fatal error occurred, no output PDF file produced!`,
        ),
        assistant(
          "这个字思源宋体里是有的，可学校的模板强制用了 SimSun。给文档类加上 fontset=none，再自己指定字体就过了。",
        ),
      ),
      question(
        ["38 页", "版次"],
        assistant(
          "参考文献核对完了，格式都统一了。第 38 页引的那句话我在原书里没有找到，版次也对不上，你手头是哪一年的版本？",
        ),
        user("书在家里，周末看"),
      ),
    ],
  },
];
